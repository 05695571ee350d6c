// The audit and the store of the demo's servers. Both run in folders of their own, so that a relative path of the environment is
// made absolute: it means the folder of the command.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { root } from './run-step.mjs'

// Not from the package: this is read before the addon is built.
const { storeFromSetting } = createRequire(import.meta.url)('../js/gate/store-options.js')

/** @param {NodeJS.ProcessEnv} env */
export function auditOf({ TOOLGATE_AUDIT: named }) {
  if (!named) return 'stdout'
  return named === 'none' || named === 'stdout' ? named : path.resolve(named)
}

/** One file, unless the environment sets another store. @param {NodeJS.ProcessEnv} env */
export function storeOf({ TOOLGATE_STORE: named }) {
  if (named) {
    const choice = storeFromSetting(named)
    return typeof choice === 'object' && 'file' in choice ? path.resolve(named) : named
  }
  const folder = path.join(root, '.toolgate')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, 'sessions.sqlite')
}

/**
 * What the inspector reads of the voice server: its calls, from a file of both, and its audit lines, from its log if they go there.
 * @param {NodeJS.ProcessEnv} env
 */
export function inspectedOf(env) {
  const folder = path.join(root, '.toolgate')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files =
    env.TOOLGATE_INSPECTOR_AUDIT || (auditOf(env) === 'stdout' ? path.join(folder, 'logs', 'voice.log') : '')
  return {
    TOOLGATE_INSPECTOR_CALLS: path.resolve(env.TOOLGATE_INSPECTOR_CALLS || path.join(folder, 'inspector-calls.jsonl')),
    TOOLGATE_INSPECTOR_AUDIT: files,
  }
}
