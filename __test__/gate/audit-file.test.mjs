// The audit file of a registry: rotation under load, the end of a killed process, wrong options.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

import { createRegistry } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const TOOLS = { echo: { properties: { n: {} } } }

/** The files of the audit, the oldest first. A process that was killed during a rotation leaves rotated ones only. */
function auditFiles(folder) {
  const rotated = readdirSync(folder).filter(name => /^audit\.jsonl\.\d+(\.gz)?$/.test(name))
  return [...rotated.sort(), ...readdirSync(folder).filter(name => name === 'audit.jsonl')]
}

/** The lines of the audit, in its order. Without the last line if it is torn; throws if another one is. */
function auditLines(folder) {
  const texts = auditFiles(folder).map(name => {
    const bytes = readFileSync(path.join(folder, name))
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  })
  return texts
    .join('')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
}

/** The numbers of the calls in the audit, in its order. */
const auditedCalls = folder =>
  auditLines(folder)
    .filter(({ event }) => event === 'tool_execution')
    .map(({ callId }) => Number(callId.split('_').at(-1)))

const numbersBelow = count => Array.from({ length: count }, (_, n) => n)

test('rotation under load loses no line and keeps their order', async () => {
  const folder = temporaryFolder()
  const audit = { file: path.join(folder, 'audit.jsonl'), rotate: { maxBytes: 20_000, keep: 1000, compress: false } }
  const { registry, session } = await openGate(TOOLS, { audit })
  const s = await session({ policy: { totalCalls: 2000, retrievalCalls: 2000 } })
  for (const n of numbersBelow(1000)) await s.execute({ id: `call_rotated_${n}`, name: 'echo', args: { n } })
  await registry.close()
  expect(auditedCalls(folder)).toEqual(numbersBelow(1000))
  expect(auditFiles(folder).length).toBeGreaterThan(5)
})

test('closing writes the last turn of each session, ended or not', async () => {
  const folder = temporaryFolder()
  const { registry, session } = await openGate(TOOLS, { audit: { file: path.join(folder, 'audit.jsonl') } })
  const sessions = []
  for (const calls of [2, 0, 1, 3]) {
    const s = await session({ sessionId: `s-${calls}` })
    for (const n of numbersBelow(calls)) await s.execute({ id: `call_${calls}_${n}`, name: 'echo', args: { n } })
    sessions.push(s)
  }
  await sessions[0].end('goodbye')
  sessions[2].detach()
  await registry.close()
  const summaries = auditLines(folder).filter(({ event }) => event === 'turn_summary')
  expect(summaries.map(({ sessionId, turn, calls }) => [sessionId, turn, calls]).sort()).toEqual([
    ['s-1', 1, 1],
    ['s-2', 1, 2],
    ['s-3', 1, 3],
  ])
})

test('a killed process leaves the lines of the first calls, in their order', async () => {
  const folder = temporaryFolder()
  const { artifact } = await toolSet(TOOLS)
  const options = {
    artifact,
    audit: { file: path.join(folder, 'audit.jsonl'), rotate: { maxBytes: 20_000, compress: false } },
  }
  const ran = await runModule(`
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = await createRegistry(${JSON.stringify(options)}).load()
    const session = await registry.createSession({ mode: 'text', policy: { totalCalls: 1000, retrievalCalls: 1000 } })
    for (let n = 0; n < 300; n += 1) await session.execute({ id: 'call_killed_' + n, name: 'echo', args: { n } })
    process.kill(process.pid, 'SIGKILL')
  `)
  expect(ran).toMatchObject({ signal: 'SIGKILL', stderr: '' })
  const kept = auditedCalls(folder)
  expect(kept).toEqual(numbersBelow(kept.length))
  expect(kept.length).toBeGreaterThan(0)
})

test.each([
  [{ file: 'a', rotate: null }, '`audit.rotate` must be an object'],
  [{ file: 'a', rotate: { maxBytes: 0 } }, '`audit.rotate.maxBytes` must be an integer above 0'],
  [{ file: 'a', rotate: { maxAgeMs: 1.5 } }, '`audit.rotate.maxAgeMs` must be an integer above 0'],
  [{ file: 'a', rotate: { keep: -1 } }, '`audit.rotate.keep` must be an integer, 0 or more'],
  [{ file: 'a', rotate: { compress: 'gzip' } }, '`audit.rotate.compress` must be true or false'],
  [
    { file: 'a', rotate: { size: 1 } },
    'unknown audit.rotate option `size`; it takes maxBytes, maxAgeMs, keep, compress',
  ],
  [{ file: 'a', rotation: {} }, 'unknown audit option `rotation`; it takes file, rotate, key, chain'],
])('wrong options %j', async (audit, message) => {
  const { artifact } = await toolSet(TOOLS)
  const load = async () => createRegistry({ artifact, audit }).load()
  await expect(load()).rejects.toThrow(new TypeError(message))
})
