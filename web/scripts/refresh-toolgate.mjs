// npm takes an unchanged version number for an unchanged package: the installed copies of the packages of this repository
// are removed here, so that `npm install` packs those above this folder again and records their dependencies.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

for (const name of ['toolgate', 'toolgate-react', 'toolgate-tools'])
  await rm(fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url)), { recursive: true, force: true })
