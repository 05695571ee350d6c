// A fresh process that loads the addon's file and says how long that took. Started by binary.mjs:
// `node load-child.mjs <contender> <file>`.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const started = performance.now()
require(process.argv[3])
console.log(JSON.stringify({ loadMs: performance.now() - started }))
