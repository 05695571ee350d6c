// The command itself, on one small case.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const bench = (...args) =>
  run(process.execPath, ['--expose-gc', 'bench/run.mjs', ...args], { cwd: root, timeout: 240_000 })

test('prints what it measured as JSON', async () => {
  const { stdout } = await bench('small-text-id', 'regex', '--quick', '--json')
  const { machine, cases, regex, goals } = JSON.parse(stdout)
  expect(machine.node).toBe(process.versions.node)
  expect(cases.map(({ name }) => name)).toEqual(['small-text-id'])
  const [{ us, ratio, overhead, rounds }] = cases
  expect(Object.keys(us).sort()).toEqual(['floor', 'js', 'naive', 'toolgate'])
  for (const figure of [...Object.values(us), ratio.naive.median, ratio.js.median]) expect(figure).toBeGreaterThan(0)
  expect(overhead.us.toolgate.median).toEqual(expect.any(Number))
  expect(rounds).toBeGreaterThanOrEqual(5)
  expect(regex.ms.toolgate).toEqual(expect.any(Number))
  expect(goals.filter(({ holds }) => holds !== null).length).toBeGreaterThanOrEqual(3)
})

test('measures messages of a provider, only read and whole, by hand and by a transport', async () => {
  const { stdout } = await bench('read-small', 'message-small', '--quick', '--json')
  const { cases } = JSON.parse(stdout)
  const [read, whole] = [
    ['js', 'naive', 'toolgate'],
    ['floor', 'js', 'naive', 'toolgate'],
  ]
  expect(cases.map(({ name, us }) => [name, Object.keys(us).sort()])).toEqual([
    ['read-small-text', read],
    ['read-small-object', read],
    ['message-small-text', whole],
    ['message-small-object', whole],
  ])
})

test('measures what a limit of a principal adds', async () => {
  const { stdout } = await bench('limits', '--quick', '--json')
  const { rows } = JSON.parse(stdout).limits
  expect([...new Set(rows.map(({ store }) => store))].slice(0, 2)).toEqual(['memory', 'file'])
  for (const { without, limited, ratio } of rows)
    expect([without.perSecond > 0, limited.perSecond > 0, ratio > 0]).toEqual([true, true, true])
})

test('measures the commands of the CLI beside a bare process', async () => {
  const { stdout } = await bench('cli', '--quick', '--json')
  const { times, ms } = JSON.parse(stdout).cli
  expect(times).toBe(2)
  expect(Object.keys(ms).filter(name => !name.startsWith('biome'))).toEqual([
    'node -e 0',
    'toolgate --version',
    'toolgate --help',
    'toolgate check, two tools',
    'oxlint --version',
  ])
  for (const milliseconds of Object.values(ms)) expect(milliseconds).toBeGreaterThan(0)
})

test('measures percentiles of single calls, and the memory of sessions and records', async () => {
  const { stdout } = await bench('latency', 'memory', '--quick', '--json')
  const { latency, memory } = JSON.parse(stdout)
  expect(latency.map(({ size }) => size)).toEqual(['small', 'medium', 'large', 'huge'])
  for (const { latencies } of latency)
    for (const { p50Ms, p95Ms, p99Ms } of Object.values(latencies))
      expect([p50Ms > 0, p95Ms >= p50Ms, p99Ms >= p95Ms]).toEqual([true, true, true])
  expect(Object.keys(memory)).toEqual(['idleSessionBytes', 'recordBytes', 'givenBack', 'takenAgain'])
  expect(Object.keys(memory.givenBack)).toEqual(['detach', 'end'])
  for (const bytes of [memory.idleSessionBytes, memory.recordBytes]) expect(bytes).toBeGreaterThan(0)
})

test('says what it has where it is asked for what it has not', async () => {
  await expect(bench('no-such-case')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/nothing is named like `no-such-case`[^]*refusal-confirm/),
  })
})
