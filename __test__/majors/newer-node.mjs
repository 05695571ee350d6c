// The packages that need a newer Node than the project, and that Node.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the next majors ask for at least. */
export const NODE_NEEDED = 22
export const next = fileURLToPath(new URL('../newer-node', import.meta.url))
export const isInstalled = existsSync(path.join(next, 'node_modules', 'ai'))

/** The newer Node that was installed beside the packages, or this one if it is new enough. */
export function nodeForNext() {
  const installed = path.join(next, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(installed)) return installed
  return Number.parseInt(process.versions.node, 10) >= NODE_NEEDED ? process.execPath : undefined
}

/** What keeps the tests of these packages from running; null if nothing does. */
export function missing() {
  if (!isInstalled) return 'the packages of __test__/newer-node (npm run test:all installs them)'
  return nodeForNext() === undefined ? `Node ${NODE_NEEDED} or newer` : null
}
