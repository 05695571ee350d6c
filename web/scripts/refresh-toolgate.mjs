// npm takes an unchanged version number for an unchanged package: the installed copy of `toolgate` is removed here, so
// that `npm install toolgate@file:..` packs the one above this folder again and records its dependencies.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

await rm(fileURLToPath(new URL('../node_modules/toolgate', import.meta.url)), { recursive: true, force: true })
