// What is left of a source's program when the process that called it ends.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { runModule } from '../support/child-process.mjs'
import { eventually } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { HOSTILE, isAlive } from './support.mjs'

const CONNECTION = new URL('../../js/sources/connection.js', import.meta.url).href

const host = (behaviour, PIDS, end) => `
  import { createRequire } from 'node:module'
  const require = createRequire(${JSON.stringify(CONNECTION)})
  const { Connection } = require('./connection.js')
  const { withDefaults } = require('./source-config.js')
  const transport = { command: process.execPath, args: ${JSON.stringify([HOSTILE, behaviour])}, env: { PIDS: ${JSON.stringify(PIDS)} } }
  const connection = new Connection('probe', withDefaults({ transport }))
  await connection.open()
  const { content } = await connection.call('pay', {}, { signal: new AbortController().signal })
  console.log(content[0].text)
  ${end}`

test.each([
  ['a host that has nothing left to do ends by itself, and its programs with it', 'fine', ''],
  ['a host that exits leaves no program that ignores the end', 'ignores-sigterm', 'process.exit()'],
  ['a program that ignores the end does not keep its host', 'ignores-sigterm', 'void connection.close()'],
])('%s', async (_, behaviour, end) => {
  const pids = path.join(temporaryFolder(), 'pids')
  const { stdout } = await runModule(host(behaviour, pids, end))
  expect(stdout).toBe('paid\n')
  const started = readFileSync(pids, 'utf8').trim().split('\n')
  expect(started).toHaveLength(behaviour === 'fine' ? 1 : 2)
  await eventually(() => !started.some(isAlive), 'the end of the programs')
})
