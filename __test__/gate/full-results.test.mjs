// The full results that users see where the model got a shortened one: bounded over all sessions.
import { prometheusText, toUiResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const KB = 1024
const FIND = { resultLimitBytes: 2 * KB, properties: { n: { type: 'integer' } } }
/** About 100 KB. */
const found = n => ({ n, rows: Array.from({ length: 1000 }, (_, row) => `${row} ${'x'.repeat(95)}`) })

async function finder(limits) {
  const gate = await openGate(
    { find: { ...FIND, execute: ({ args: { n } }) => ({ ok: true, data: found(n) }) } },
    { limits },
  )
  const find = async (session, n) => session.execute({ id: `call_of_number_${n}`, name: 'find', args: { n } })
  const counters = () => gate.registry.getMetrics().find.text
  return { ...gate, find, counters }
}

const isWhole = response => toUiResponse(response).data.rows.length === 1000

test('the oldest results of all sessions give way, are shown as the model got them, and are counted', async () => {
  const { session, find, counters, registry } = await finder({ fullResultBytes: 1024 * KB })
  const sessions = await Promise.all([1, 2, 3].map(() => session()))
  const answers = []
  for (let n = 0; n < 30; n += 1) answers.push(await find(sessions[n % 3], n))
  const whole = answers.map(isWhole)
  expect(whole.slice(0, 20)).toEqual(Array(20).fill(false))
  expect(whole.slice(22)).toEqual(Array(8).fill(true))
  expect(toUiResponse(answers[0]).meta.warnings).toContain('full_data_not_kept')
  const { fullResultBytes, droppedFullResultBytes } = counters()
  const kept = fullResultBytes - droppedFullResultBytes
  expect(kept).toBeGreaterThan(900 * KB)
  expect(kept).toBeLessThanOrEqual(1024 * KB)
  expect(prometheusText(registry.getMetrics())).toContain(
    `toolgate_dropped_full_result_bytes_total{tool="find",mode="text"} ${droppedFullResultBytes}`,
  )
})

test('a session that ends takes its results along, and makes room', async () => {
  const { session, find, counters } = await finder({ fullResultBytes: 1024 * KB })
  const [first, second] = [await session(), await session()]
  const gone = await find(first, 1)
  const stays = await find(second, 2)
  await first.end()
  expect([isWhole(gone), isWhole(stays)]).toEqual([false, true])
  for (let n = 3; n < 11; n += 1) expect(isWhole(await find(second, n))).toBe(true)
  expect([isWhole(stays), counters().droppedFullResultBytes]).toEqual([true, 0])
})

test('with 0 none is kept', async () => {
  const { session, find } = await finder({ fullResultBytes: 0 })
  expect(isWhole(await find(await session(), 1))).toBe(false)
})

test.each([[null], [5], ['all']])('limits of %p are refused', async limits => {
  await expect(finder(limits)).rejects.toThrow('`limits` must be an object')
})

test.each([[-1], ['64 MiB'], [1.5], [Infinity]])('a limit of %p is refused', async fullResultBytes => {
  await expect(finder({ fullResultBytes })).rejects.toThrow(/fullResultBytes/)
})
