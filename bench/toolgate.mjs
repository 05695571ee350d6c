// The package as it is built in this project, the same object for everything here.
import { createRequire } from 'node:module'

/** @type {typeof import('../index.js')} */
export const toolgate = createRequire(import.meta.url)('../index.js')
