// The comparison is honest only where all do the same: the gateway in plain JavaScript, in both its ways, answers and audits
// like Toolgate on the same calls, as far as it claims to (see its head).
import { JsGateway } from '../../bench/js-gateway.mjs'
import { naive, optimised } from '../../bench/js-gateway/ways.mjs'
import { toolgate } from '../../bench/toolgate.mjs'
import { compileToolSet } from '../../bench/tool-set.mjs'
import { handlers as plainHandlers, providerId, sizes, tools } from '../../bench/workload.mjs'

const search = (args, id = null) => ({ id, name: 'search_articles', args })
const importing = (args, id = null) => ({ id, name: 'import_records', args })
const limited = (args, id) => ({ id, name: 'limited_search', args })
const purging = (args, id) => ({ id, name: 'purge_articles', args })
const text = value => JSON.stringify(value)
const query = n => ({ query: `account ${n}` })

/** Handlers whose ends are unlike those of the workload, asked for through the query. */
const ENDS = {
  'a failure': async () => ({
    ok: false,
    error: { type: 'PERMANENT', message: 'no such account', details: { account: 7 } },
  }),
  'a retryable failure': async () => ({ ok: false, error: { type: 'CONFLICT', message: 'busy', retryable: true } }),
  'a throw': async () => {
    throw new Error('at /srv/secret')
  },
  'a typed throw': async () => {
    throw new toolgate.ToolError('AUTH', 'sign in again')
  },
  'a throw at once': () => {
    throw new TypeError('no promise')
  },
  nothing: async () => undefined,
  'a text': async () => 'done',
  'no ok': async () => ({ data: 1 }),
  'a foreign type': async () => ({ ok: false, error: { type: 'LOOP_DETECTED', message: 'mine' } }),
  'a cycle': async () => {
    const data = {}
    data.self = data
    return { ok: true, data }
  },
  'no data': async () => ({ ok: true }),
  'too much': async () => ({
    ok: true,
    data: { list: Array.from({ length: 900 }, (_, n) => `entry ${n}`.padEnd(100, '.')), of: 900 },
  }),
}
let runs = 0
const handlers = {
  ...plainHandlers,
  search_articles: context => {
    runs += 1
    return (ENDS[context.args.query] ?? plainHandlers.search_articles)(context)
  },
}

const good = { ok: true }
const refused = type => ({ ok: false, type })

/** Each scenario is a session: its options, then calls with what both must answer. A number begins so many turns. */
const scenarios = {
  'valid calls': [
    [search(text(sizes.small.args(2)), providerId(1)), good],
    [search(sizes.small.args(20)), good],
    [importing(text(sizes.medium.args(1)), providerId(2)), good],
    [importing(sizes.medium.args(30)), good],
    [importing(text(sizes.accents.args(3)), providerId(3)), good],
    [importing(text(sizes.large.args(1)), providerId(4)), good],
    [importing(sizes.large.args(7000)), good],
  ],
  defaults: [
    [search('{"query":"passwords"}', providerId(1)), good],
    [search({ query: 'passwords', collection: 'blog' }), good],
    [search(' {"top_k" : 2, "query":"passwords"}'), good],
    [importing(text({ collection: 'leads', records: sizes.medium.args(15).records }), providerId(2)), good],
  ],
  'arguments that do not fit': [
    [search(text(sizes.small.bad(1)), providerId(1)), refused('VALIDATION')],
    [search('{"query":"pa","collection":"news","language":"english","top_k":"3"}'), refused('VALIDATION')],
    [search('', providerId(2)), refused('VALIDATION')],
    [search(null), refused('VALIDATION')],
    [search({ query: 5, top_k: 2.5 }), refused('VALIDATION')],
    [importing(text(sizes.medium.bad(1)), providerId(3)), refused('VALIDATION')],
    [importing({ collection: 'leads', records: [] }), refused('VALIDATION')],
    [
      importing({
        collection: 'leads',
        records: [{ id: 'ab-1', created_at: 'yesterday', quantity: -1, contacts: [{ kind: 'fax' }] }],
      }),
      refused('VALIDATION'),
    ],
  ],
  'arguments that are not JSON objects': [
    [search('{"query":', providerId(1)), refused('VALIDATION')],
    [search('[]'), refused('VALIDATION')],
    [search('"passwords"'), refused('VALIDATION')],
    [search('{"query":"a"} and more'), refused('VALIDATION')],
    [search(text({ query: 'x'.repeat(2 * 1024 * 1024) })), refused('VALIDATION')],
    [search({ query: 'x'.repeat(2 * 1024 * 1024) }), refused('VALIDATION')],
  ],
  'corrected after a refusal, under the same id': [
    [search('{"query":"pa"}', providerId(1)), refused('VALIDATION')],
    [search('{"query":"passwords"}', providerId(1)), good],
  ],
  'replays by id': [
    [search('{"query":"passwords","top_k":2}', providerId(1)), good],
    [search('{"query":"passwords","top_k":2}', providerId(1)), good],
    [search('{ "top_k": 2.0, "query": "password\\u0073" }', providerId(1)), good],
    [search({ top_k: 2, query: 'passwords' }, providerId(1)), good],
    1,
    [search('{"query":"passwords","top_k":2}', providerId(1)), good],
    [search('{"query":"passwords","top_k":3}', providerId(1)), good],
    [search('{"query":"passwords","top_k":3}', providerId(1)), good],
    [search('{"query":"passwords","top_k":4}', providerId(1)), refused('CONFLICT')],
  ],
  'replays by content': [
    [search('{"query":"passwords","top_k":2}'), good],
    [search('{ "top_k": 2, "query": "passwords" }'), good],
    [search('{"query":"invoices"}', 'call_1'), good],
    [search({ query: 'invoices' }), good],
    [search('{"query":"refunds"}', 'search_articles:0'), good],
    [search('{"query":"refunds"}', 'functions.search_articles:1'), good],
    [search('{"query":"refunds"}', 'temporary-call'), good],
    1,
    [search('{"query":"passwords","top_k":2}'), good],
  ],
  'one id for two calls': [
    [search('{"query":"passwords"}', providerId(1)), good],
    [search('{"query":"invoices"}', providerId(1)), refused('CONFLICT')],
    [importing(sizes.medium.args(1), providerId(1)), refused('CONFLICT')],
  ],
  'unknown tools': [
    [{ id: providerId(1), name: 'serch_articles', args: '{}' }, refused('NOT_FOUND')],
    [{ name: '__proto__', args: {} }, refused('NOT_FOUND')],
    [{ name: '', args: {} }, refused('VALIDATION')],
  ],
  'a mode in which the tools are not allowed': [
    { mode: 'webcam' },
    [search('{"query":"passwords"}', providerId(1)), refused('MODE_RESTRICTED')],
  ],
  'the budgets of text mode': [
    ...[1, 2, 3, 4, 5].map(n => [search(query(n), providerId(n)), good]),
    [search(query(6), providerId(6)), refused('BUDGET_EXCEEDED')],
    [search(query(1), providerId(1)), good],
    ...Array.from({ length: 15 }, (_, n) => [importing(sizes.medium.args(n), providerId(10 + n)), good]),
    [importing(sizes.medium.args(99), providerId(99)), refused('BUDGET_EXCEEDED')],
    1,
    [search(query(6), providerId(6)), good],
  ],
  "budgets of the session's own": [
    { policy: { retrievalCalls: 1, totalCalls: 2 } },
    [search(query(1)), good],
    [search(query(2)), refused('BUDGET_EXCEEDED')],
    [importing(sizes.medium.args(1)), good],
    [importing(sizes.medium.args(2)), refused('BUDGET_EXCEEDED')],
  ],
  'the same call with the same outcome': [
    ...[1, 2, 3, 4].map(n => [search(query(0), providerId(n)), good]),
    [search(query(0), providerId(5)), refused('LOOP_DETECTED')],
    1,
    [search(query(0), providerId(6)), good],
  ],
  'the same unnamed call': [
    ...[1, 2, 3, 4].map(() => [search(query(0)), good]),
    [search(query(0)), refused('LOOP_DETECTED')],
  ],
  'the same refusal': [
    ...[1, 2, 3, 4].map(() => [search('{"query":"pa"}'), refused('VALIDATION')]),
    [search('{"query":"pa"}'), refused('LOOP_DETECTED')],
  ],
  'two calls that take turns': [
    { policy: { retrievalCalls: 100 } },
    ...[1, 2, 3, 4, 5, 6, 7].map(n => [search(query(n % 2), providerId(n)), good]),
    [search(query(0), providerId(8)), refused('LOOP_DETECTED')],
  ],
  'a tool that is called too often': [
    [limited(query(1), providerId(1)), good],
    [limited(query(2), providerId(2)), refused('RATE_LIMIT')],
    [limited(query(1), providerId(1)), good],
    1,
    [limited(query(3), providerId(3)), refused('RATE_LIMIT')],
    [search(query(3), providerId(4)), good],
  ],
  'a tool that asks first': [
    [purging('{"query":"passwords"}', providerId(1)), refused('CONFIRMATION_REQUIRED')],
    [purging({ query: 'passwords' }, providerId(2)), refused('CONFIRMATION_REQUIRED')],
    [purging({ query: 'pa' }, providerId(3)), refused('VALIDATION')],
  ],
  'a session that has ended': [
    [search('{"query":"passwords"}', providerId(1)), good],
    'end',
    [search('{"query":"passwords"}', providerId(1)), refused('SESSION_INACTIVE')],
    [{ id: providerId(2), name: 'serch_articles', args: '{' }, refused('SESSION_INACTIVE')],
  ],
  'what handlers do': [
    { policy: { retrievalCalls: 100 } },
    [search({ query: 'a failure' }, providerId(1)), refused('PERMANENT')],
    [search({ query: 'a failure' }, providerId(1)), refused('PERMANENT')],
    [search({ query: 'a retryable failure' }, providerId(2)), refused('CONFLICT')],
    [search({ query: 'a throw' }, providerId(3)), refused('INTERNAL')],
    [search({ query: 'a typed throw' }, providerId(4)), refused('AUTH')],
    [search({ query: 'a throw at once' }, providerId(5)), refused('INTERNAL')],
    [search({ query: 'nothing' }, providerId(6)), refused('INTERNAL')],
    [search({ query: 'a text' }, providerId(7)), refused('INTERNAL')],
    [search({ query: 'no ok' }, providerId(8)), refused('INTERNAL')],
    [search({ query: 'a foreign type' }, providerId(9)), refused('INTERNAL')],
    [search({ query: 'a cycle' }, providerId(10)), refused('INTERNAL')],
    [search({ query: 'no data' }, providerId(11)), good],
    [search({ query: 'too much' }, providerId(12)), good],
  ],
}

let toolSet
let registry
let gateways
const lines = { toolgate: [], naive: [], optimised: [] }
beforeAll(async () => {
  toolSet = await compileToolSet(tools)
  registry = await toolgate
    .createRegistry({
      artifact: toolSet.path,
      handlers,
      audit: line => lines.toolgate.push(line),
      onHandlerError: () => {},
    })
    .load()
  const gateway = (way, kept) =>
    new JsGateway({ artifact: toolSet.artifact, handlers, way, audit: line => kept.push(line) })
  gateways = { naive: gateway(naive, lines.naive), optimised: gateway(optimised, lines.optimised) }
})
afterAll(async () => {
  await registry?.close()
  toolSet?.remove()
})

/** What both must agree on. Messages, schema paths and times are each side's own. */
function comparable(answer) {
  const { ok, data, error, intents, meta } = JSON.parse(answer)
  const { duration, timestamp, warnings, ...rest } = meta
  expect(duration).toBeGreaterThanOrEqual(0)
  expect(new Date(timestamp).toISOString()).toBe(timestamp)
  return { ok, data, intents, error: error && comparableError(error), meta: { ...rest, warnings: warnings?.length } }
}

function comparableError({ message, suggestion, type, details, retryAfterMs, confirmation_request, ...rest }) {
  expect(message.length).toBeGreaterThan(0)
  if (type === 'RATE_LIMIT') expect(retryAfterMs).toBeGreaterThan(0)
  if (type === 'CONFIRMATION_REQUIRED') {
    const { token, expires, ...question } = confirmation_request
    expect(token).toMatch(/^tgc_[0-9a-f]{32}$/)
    expect(expires).toBeGreaterThan(Date.now())
    return { type, question, ...rest }
  }
  if (type !== 'VALIDATION') return { type, details, ...rest }
  // Where in a text that is no JSON the mistake stands, `JSON.parse` does not report.
  const findings = details
    ?.map(({ instancePath, keyword }) => (keyword === 'json' ? keyword : `${instancePath} ${keyword}`))
    .sort()
  return { type, findings, ...rest }
}

async function play(host, name, steps) {
  const options = steps.find(step => !Array.isArray(step) && typeof step === 'object') ?? {}
  const session = await host.createSession({ sessionId: `scenario ${name}`, mode: 'text', ...options })
  const before = runs
  const answers = []
  await session.beginTurn()
  for (const step of steps) {
    if (typeof step === 'number') for (let turn = 0; turn < step; turn++) await session.beginTurn()
    if (step === 'end') await session.end()
    if (Array.isArray(step)) answers.push(comparable(await session.executeText(step[0])))
  }
  return { answers, runs: runs - before }
}

/**
 * The audit of the calls of one scenario, without what each side measures or makes up by itself, and the hashes of what a
 * question shows, which only Toolgate writes.
 */
function audited(told) {
  const events = told
    .map(line => JSON.parse(line))
    .filter(({ event, sessionId }) => /^tool_|^confirmation_/.test(event) && sessionId === 'scenario audited')
  const hidden = ({ at, message, duration, ageMs, expires, resultBytes, finalArgsHash, previewHash, ...rest }) => rest
  return events.map(line => {
    const { argsHash, idempotencyKey, ...rest } = hidden(line)
    return { ...rest, isHashed: argsHash?.length, ...(argsHash && { idempotencyKey }) }
  })
}

describe('the gateways answer alike', () => {
  test.each(Object.entries(scenarios))('%s', async (name, steps) => {
    const expected = steps.filter(Array.isArray).map(([, answer]) => answer)
    const native = await play(registry, name, steps)
    expect(native.answers.map(({ ok, error }) => (ok ? { ok } : { ok, type: error.type }))).toEqual(expected)
    for (const gateway of Object.values(gateways)) expect(await play(gateway, name, steps)).toEqual(native)
  })

  test('and tell their audit the same', async () => {
    const steps = ['replays by id', 'unknown tools', 'a tool that asks first', 'a session that has ended'].flatMap(
      name => scenarios[name],
    )
    for (const host of [registry, ...Object.values(gateways)]) await play(host, 'audited', steps)
    // A host's sink hears of a call after its answer; the session's last one is its second refusal as ended.
    while (audited(lines.toolgate).filter(({ errorType }) => errorType === 'SESSION_INACTIVE').length < 2)
      await new Promise(setImmediate)
    const native = audited(lines.toolgate)
    expect(native.length).toBeGreaterThan(12)
    expect(audited(lines.naive)).toEqual(native)
    expect(audited(lines.optimised)).toEqual(native)
  })

  test('calls that are equal and in flight run once', async () => {
    const together = async host => {
      const session = await host.createSession({ sessionId: 'joined', mode: 'text' })
      const before = runs
      const answers = await Promise.all(
        [1, 2, 3].map(() => session.executeText(search('{"query":"passwords"}', providerId(1)))),
      )
      return { answers: answers.map(comparable), runs: runs - before }
    }
    const native = await together(registry)
    expect(native.runs).toBe(1)
    for (const gateway of Object.values(gateways)) expect(await together(gateway)).toEqual(native)
  })

  test('a hundred results are kept', async () => {
    const runsOfFirst = async host => {
      const session = await host.createSession({
        sessionId: 'many',
        mode: 'text',
        policy: { totalCalls: 1000, retrievalCalls: 1000 },
      })
      for (let n = 0; n <= 100; n++) await session.executeText(search(query(n), providerId(n)))
      const before = runs
      for (const n of [1, 0]) await session.executeText(search(query(n), providerId(n)))
      return runs - before
    }
    expect(await runsOfFirst(registry)).toBe(1)
    for (const gateway of Object.values(gateways)) expect(await runsOfFirst(gateway)).toBe(1)
  })
})

test('a handler asks for its signal and gets one that its deadline aborts', async () => {
  const artifact = { ...toolSet.artifact, tools: toolSet.artifact.tools.map(tool => ({ ...tool, timeoutMs: 1 })) }
  const reasons = []
  const hanging = ({ signal }) => new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason)))
  const session = new JsGateway({
    artifact,
    handlers: { ...handlers, search_articles: hanging, import_records: hanging },
  }).createSession({ sessionId: 's', mode: 'text' })
  const read = JSON.parse(await session.executeText(search({ query: 'passwords' }, providerId(1))))
  const write = JSON.parse(await session.executeText(importing(sizes.medium.args(1), providerId(2))))
  expect(read.error).toMatchObject({
    type: 'TRANSIENT',
    retryable: true,
    partialSideEffects: false,
    details: { reason: 'timeout' },
  })
  expect(write.error).toMatchObject({
    type: 'TRANSIENT',
    retryable: false,
    partialSideEffects: true,
    details: { reason: 'timeout', outcome: 'unknown' },
  })
  expect(reasons).toEqual(['timeout', 'timeout'])
})

test("the caller's object is left as it is, unless the gateway is told to fill it", async () => {
  const filled = async (objectArgs, way = optimised) => {
    const args = { query: 'passwords' }
    const session = new JsGateway({ artifact: toolSet.artifact, handlers, objectArgs, way }).createSession({
      sessionId: 's',
      mode: 'text',
    })
    await session.executeText(search(args))
    return args
  }
  expect(await filled('copied')).toEqual({ query: 'passwords' })
  expect(await filled('copied', naive)).toEqual({ query: 'passwords' })
  expect(await filled('in place')).toEqual({ query: 'passwords', collection: 'help', top_k: 5 })
})
