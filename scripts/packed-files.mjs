// The files of a package as npm would publish it: npm alone knows what the patterns of `files` mean.
import { execFileSync } from 'node:child_process'

import { npm, root } from './run-step.mjs'

/**
 * @param {string} [folder] the package's; by default the project's
 * @returns {string[]} relative to the folder
 */
export function packedFiles(folder = root) {
  const [program, ...args] = [...npm, 'pack', '--dry-run', '--json', '--ignore-scripts']
  const packing = execFileSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return JSON.parse(packing)[0].files.map(file => file.path)
}
