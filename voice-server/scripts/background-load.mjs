// Load of background calls: users have jobs done that outlast their connections, which they drop and resume at intervals. Each
// result must be said once and shown once. Server and simulated model are child processes, all on loopback.
//
//   node scripts/background-load.mjs [--users 200] [--jobs 5] [--surface gemini|gemini-older|gemini-3.8|openai|gptLive]
// [--least-ms 10000] [--most-ms 600000] [--reconnect-ms 20000] [--waiting 5] [--seed 1] [--json]
//
// Then `--waiting` more jobs of each user end while no user is there, and the users return: the memory of results that wait.
// Memory is taken after garbage collection: `rss` as the system counts it, `javaScript` of the heap and its buffers.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BackgroundUser } from './background-user.mjs'
import { MACHINE, SURFACES, print, startUsers, wholeNumbers, withServer } from './load-child.mjs'

/** How long a result may be on its way to a user who is there. */
const PATIENCE_MS = 30_000
/** How long a user stays after all is reported. */
const SETTLE_MS = 1500

function readOptions() {
  const text = (/** @type {string} */ value) => ({ type: /** @type {const} */ ('string'), default: value })
  const { values } = parseArgs({
    options: {
      users: text('200'),
      jobs: text('5'),
      surface: text('gemini'),
      'least-ms': text('10000'),
      'most-ms': text('600000'),
      'reconnect-ms': text('20000'),
      waiting: text('5'),
      seed: text('1'),
      json: { type: 'boolean', default: false },
    },
  })
  const { surface, json: asJson } = values
  if (!Object.hasOwn(SURFACES, surface)) throw new Error(`--surface must be one of ${Object.keys(SURFACES).join(', ')}`)
  const numbers = wholeNumbers(values, {
    users: [1, 1000],
    jobs: [1, 50],
    'least-ms': [0, 3_600_000],
    'most-ms': [0, 3_600_000],
    'reconnect-ms': [100, 3_600_000],
    waiting: [0, 50],
    seed: [0, 2 ** 31 - 1],
  })
  if (numbers['least-ms'] > numbers['most-ms']) throw new Error('--least-ms must not be more than --most-ms')
  return { ...numbers, surface, asJson }
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). @param {number} seed */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param {ReturnType<typeof readOptions>} options */
function run(options) {
  const { users: count, jobs, waiting, seed, surface, 'least-ms': leastMs, 'most-ms': mostMs } = options
  const random = randomFrom(seed)
  const begun = performance.now()
  return withServer({ surface, work: 'jobs' }, async server => {
    const { url } = server.started
    await warmUp(url)
    /** @type {Record<string, any>} */
    const at = { begun: await server.ask({ measure: 'begun' }) }
    const users = await startUsers(count, () => BackgroundUser.start(url))
    at.connected = await server.ask({ measure: 'connected' })
    const reconnectMs = options['reconnect-ms']
    const duration = () => leastMs + Math.floor(random() * (mostMs - leastMs + 1))
    await Promise.all(
      users.map((user, index) => {
        const own = Array.from({ length: jobs }, (_, job) => ({ job: `u${index}j${job}`, ms: duration() }))
        return user.work(own, { reconnectMs, afterMs: Math.floor(random() * reconnectMs), patienceMs: PATIENCE_MS })
      }),
    )
    at.worked = await server.ask({ measure: 'worked' })
    if (waiting > 0) await leaveResults(server, users, { waiting, at })
    await Promise.all(users.map(user => user.end(SETTLE_MS)))
    const { jobs: counted } = await server.ask({ measure: 'end' })
    return report(users, { ...options, at, counted, seconds: Math.round((performance.now() - begun) / 1000) })
  })
}

/** Code that runs for the first time is not what a session costs. @param {string} url */
async function warmUp(url) {
  const user = await BackgroundUser.start(url)
  const jobs = [{ job: 'warm', ms: 0 }]
  await user.work(jobs, { reconnectMs: 3000, afterMs: 3000, patienceMs: PATIENCE_MS })
  await user.end(0)
}

/**
 * Lets jobs end while no user is connected; their results wait until the users return.
 * @param {import('./load-child.mjs').Child} server
 * @param {BackgroundUser[]} users
 * @param {{ waiting: number, at: Record<string, any> }} options
 */
async function leaveResults(server, users, { waiting, at }) {
  const leave = async (/** @type {string} */ stage) => {
    await Promise.all(users.map(user => user.drop()))
    at[stage] = await server.ask({ measure: stage })
  }
  const jobsOf = (/** @type {number} */ index) =>
    Array.from({ length: waiting }, (_, job) => ({ job: `u${index}w${job}` }))
  await leave('away')
  await startUsers(users.length, index => users[index].connect())
  await Promise.all(
    users.map(async (user, index) => {
      for (const job of jobsOf(index)) await user.ask(job)
    }),
  )
  await Promise.all(users.map(user => user.drop()))
  const { ended } = await server.ask({ release: true })
  const due = ended + users.length * waiting
  for (let counted = ended; counted < due; { ended: counted } = await server.ask({})) await sleep(100)
  await leave('waiting')
  await startUsers(users.length, index => users[index].connect())
  await Promise.all(users.map((user, index) => user.until(() => user.hasAll(jobsOf(index)), PATIENCE_MS)))
  await leave('delivered')
  await startUsers(users.length, index => users[index].connect())
}

/** @param {BackgroundUser[]} users @param {ReturnType<typeof readOptions> & Record<string, any>} measured */
function report(users, { at, counted, ...given }) {
  const jobs = given.jobs + given.waiting
  const marks = users.flatMap(user => [...user.said].filter(([job]) => !job.startsWith('begun-')))
  const shown = users.flatMap(user => [...user.shown])
  const due = users.length * jobs
  const twice = (/** @type {[string, number][]} */ counts) => counts.filter(([, times]) => times > 1).length
  const kib = (/** @type {number} */ bytes) => Math.round(bytes / 102.4) / 10
  const per = (/** @type {string} */ from, /** @type {string} */ to, /** @type {number} */ number) =>
    at[from] && at[to]
      ? {
          rss: kib((at[to].held.rss - at[from].held.rss) / number),
          javaScript: kib((at[to].held.javaScript - at[from].held.javaScript) / number),
        }
      : undefined
  const { asJson: _, ...options } = given
  return {
    ...options,
    calls: due,
    connections: users.reduce((total, user) => total + user.connections, 0),
    lost: due - marks.length,
    notShown: due - shown.length,
    toldTwice: twice(marks),
    shownTwice: twice(shown),
    ranTwice: counted.ranTwice.length,
    failures: users.flatMap(user => user.failures).slice(0, 10),
    examples: users
      .flatMap((user, index) => [...user.said].map(([job, times]) => ({ user: index, job, times })))
      .filter(({ times }) => times > 1)
      .slice(0, 5),
    eventLoopDelayMs: at.worked.eventLoopDelayMs,
    cpuShare: at.worked.cpuShare,
    kibPerSession: per('begun', 'connected', users.length),
    kibPerWaitingResult: given.waiting > 0 ? per('away', 'waiting', users.length * given.waiting) : undefined,
    kibPerDeliveredResult: given.waiting > 0 ? per('away', 'delivered', users.length * given.waiting) : undefined,
    rssMiB: Object.fromEntries(Object.entries(at).map(([stage, { held }]) => [stage, Math.round(held.rss / 2 ** 20)])),
    machine: MACHINE,
  }
}

const options = readOptions()
const result = await run(options)
print(result, options.asJson)
const { lost, notShown, toldTwice, shownTwice, ranTwice, failures } = result
if (lost + notShown + toldTwice + shownTwice + ranTwice + failures.length > 0) process.exitCode = 1
