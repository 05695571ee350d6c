// Before a package is packed by npm: writes the modules that are not committed, and refuses the gate without its addon: the
// package would fail only after its installation.
import { readdirSync } from 'node:fs'

import { preparePaths } from './prepare.mjs'
import { root, showStepsOnStderr } from './run-step.mjs'

const isGate = process.env.npm_package_name === 'toolgate'
if (isGate && !readdirSync(root).some(name => name.endsWith('.node'))) {
  console.error('there is no addon in this folder: `npm run build` makes it, `npm run pack` packs everything')
  process.exit(1)
}
showStepsOnStderr()
await preparePaths()
