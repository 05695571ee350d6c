// Runs one scenario on one surface with one fault: a real voice server and registry, the simulator as the model.
import { readFileSync, readdirSync } from 'node:fs'
import { pending } from 'toolgate'
import { latch, startFixture } from '../support/fixture.js'
import { FaultyWay } from './faulty-way.js'
import { History } from './history.js'
import { judge } from './judge.js'
import { SURFACES } from './surfaces.js'
import { User } from './user.js'

/** Of a machine that is busy with other work: only what never comes is waited for so long. */
const PATIENCE_MS = 20_000
/** How long a call may stay without an answer after the rest. */
const ANSWER_MS = 2000
const read = name => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const { rules } = read('model.json')

export const SCENARIOS = readdirSync(new URL('.', import.meta.url))
  .filter(name => name.endsWith('.json') && name !== 'model.json')
  .sort()
  .map(read)

/**
 * @typedef {import('./faulty-way.js').Fault & { returns?: 'now' | 'end', host?: 'twice' | 'late' | 'foreign' }} RunFault
 * @typedef {{ seed: number, surface: string, scenario: any, fault: RunFault }} Plan
 */

/** @param {Plan} plan @returns {Promise<{ findings: import('./judge.js').Finding[], history: History, plan: Plan }>} */
export async function run(plan) {
  const cleanups = []
  try {
    const stage = await setUp({ after: act => cleanups.unshift(act) }, plan)
    const subject = await perform(stage, plan)
    return { plan, history: stage.history, findings: judge(stage.history.entries, subject) }
  } finally {
    for (const act of cleanups) await act()
  }
}

/** @param {{ after(act: () => unknown): void }} t @param {Plan} plan */
async function setUp(t, { seed, surface: name, scenario, fault }) {
  const [surface, history, released] = [SURFACES[name], new History(), latch()]
  const key = `k${seed}x`
  const way = new FaultyWay({ surface, fault, history })
  const url = await way.start()
  const fixture = await startFixture(t, {
    provider: surface.provider,
    rules,
    audio: { transcripts: Array.from({ length: 9 }, () => 'yes') },
    settings: { pieceChars: 4000, toneMs: 20, listenMs: 10_000 },
    handlers: handlersOf({ history, released, isElsewhere: scenario.elsewhere }),
    server: simulatorUrl => {
      way.target = simulatorUrl
      const silence =
        fault.kind === 'silent' ? { answerSilenceMs: 700, connectTimeoutMs: 3000 } : { answerSilenceMs: 8000 }
      const limits = { ...silence, pendingPollMs: 100, thinkingMs: 0 }
      return { ...surface.server(url), limits, spokenConsent: true }
    },
  })
  t.after(() => way.close())
  const finish = () => finishOf({ fixture, released, history, key, fault, isElsewhere: scenario.elsewhere })
  const hear = words => {
    if (surface.provider === 'gptLive') fixture.sim.gptLive.connections.findLast(({ isOpen }) => isOpen)?.hear(words)
  }
  const user = new User({ url: fixture.server.url, key, history, fault, hear, finish, patienceMs: PATIENCE_MS })
  t.after(() => user.close())
  return { fixture, history, way, user, key }
}

/** @param {{ history: History, released: any, isElsewhere?: boolean }} stage */
function handlersOf({ history, released, isElsewhere }) {
  const handler =
    tool =>
    async ({ args, signal, completionToken }) => {
      const key = args.text ?? args.job ?? args.what
      if (isElsewhere) released.token = await completionToken()
      history.add('run', { tool, key })
      if (isElsewhere) return pending({ token: released.token })
      const aborted = new Promise(resolve => signal?.addEventListener('abort', () => resolve(true)))
      const isAborted = await Promise.race([released.opened, aborted])
      history.add('ended', { tool, key, ok: isAborted !== true })
      if (isAborted === true) throw new Error('aborted')
      return { ok: true, data: { mark: `mark-${key}` } }
    }
  return Object.fromEntries(['note_save', 'job_run', 'slow_read', 'archive_read'].map(tool => [tool, handler(tool)]))
}

/** Lets the work end: in its handler, or in another program, which may do so wrongly. */
async function finishOf({ fixture, released, history, key, fault, isElsewhere }) {
  if (!isElsewhere) return released.open()
  const { registry } = fixture
  const complete = (token, mark = `mark-${key}`) =>
    registry.complete(token, { ok: true, data: { mark } }).catch(() => {})
  if (fault.host === 'foreign') await complete('token-of-no-call', 'mark-foreign')
  history.add('ended', { tool: 'job_run', key, ok: true })
  await Promise.all(
    fault.host === 'twice' ? [complete(released.token), complete(released.token)] : [complete(released.token)],
  )
  if (fault.host === 'late') {
    await history.until(() => history.of('modelSaid').some(({ text }) => text.includes(`mark-${key}`)), PATIENCE_MS)
    await complete(released.token)
  }
}

/** @param {Awaited<ReturnType<typeof setUp>>} stage @param {Plan} plan @returns {Promise<import('./judge.js').Subject>} */
async function perform({ fixture, history, way, user, key }, { scenario, fault }) {
  const unmet = []
  await user.open()
  for (const act of scenario.user) if (!(await user.act(act))) unmet.push(JSON.stringify(act))
  if (scenario.leaves) await readLater(fixture, history, user.credentials, key)
  else await user.settle()
  const open = () => way.open
  const subject = {
    tool: scenario.tool,
    key,
    mayFail: scenario.mayFail,
    isSilent: scenario.isSilent,
    leaves: scenario.leaves,
    errors: fixture.logger.lines
      .filter(({ level }) => level === 'error')
      .map(({ message, error }) => `${message}: ${error}`),
    anomalies: ['doubled', 'repeated'].includes(fault.kind) ? [] : fixture.sim.anomalies,
    unmet,
    open: open(),
  }
  await history.until(
    () => judge(history.entries, { ...subject, open: open() }).every(({ fault: name }) => name !== 'unanswered'),
    ANSWER_MS,
  )
  return { ...subject, open: open() }
}

/** What the text page finds of a session whose client never returned. */
async function readLater({ registry }, history, { sessionId, resumeToken }, key) {
  await history.until(() => history.of('ended').length > 0, PATIENCE_MS)
  const session = await registry.createSession({ sessionId, resumeToken, mode: 'text' })
  const results = new AbortController()
  const found = (async () => {
    for await (const result of session.results({ signal: results.signal })) {
      history.add('leftover', { text: JSON.stringify(result.response) })
      await result.accept()
    }
  })()
  await history.until(() => history.of('leftover').some(({ text }) => text.includes(`mark-${key}`)), PATIENCE_MS)
  results.abort()
  await found.catch(() => {})
}
