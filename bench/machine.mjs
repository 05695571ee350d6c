// What was measured, and on what.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'

import { describeAddon } from './binary.mjs'

export async function describeMachine() {
  const version = name => createRequire(import.meta.url)(`${name}/package.json`).version
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    cpu: os.cpus()[0]?.model ?? 'unknown processor',
    cores: os.availableParallelism(),
    load: os.loadavg()[0],
    platform: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.versions.node,
    commit: commit(),
    toolgate: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
    ajv: version('ajv'),
    ajvFormats: version('ajv-formats'),
    addon: await describeAddon(),
    gc: globalThis.gc !== undefined,
  }
}

/** Of the sources, null if git does not know it. */
function commit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : null
}
