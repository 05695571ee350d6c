// `npm run pack [-- <folder>]`: builds, packs all packages into a folder (`.toolgate/packages`), and prints the line that installs them
// elsewhere: the way until they are published.
import { rmSync } from 'node:fs'
import path from 'node:path'

import { packRelease } from './pack-release.mjs'
import { preparePackage } from './prepare.mjs'
import { root } from './run-step.mjs'

const OWN_FOLDER = path.join(root, '.toolgate', 'packages')

await preparePackage()
const [given] = process.argv.slice(2)
if (given === undefined) rmSync(OWN_FOLDER, { recursive: true, force: true })
const files = packRelease({ folder: path.resolve(given ?? OWN_FOLDER) })
console.log(`\n${files.map(file => path.basename(file)).join('\n')}\n\nIn the folder of your project:\n`)
console.log(`    npm install ${files.map(file => JSON.stringify(file)).join(' ')}\n`)
console.log('Leave out what you do not use; `toolgate` and the package of your platform are needed.')
