// The tool calls of a framework without an adapter of its own, through one function.
import adapter from '../../js/adapters/tool-call.js'
import { openNotes } from './note-tools.mjs'

const { toolDeclarations, wrapToolCall } = adapter

let notes
afterEach(() => notes.close())

const send = { id: 'call_send_0001', name: 'send_note', args: { to: 'Ada' } }
const pending = async () => (await notes.session.listPending()).map(({ callId }) => callId)

test('the declarations are of the tools that the session may use', async () => {
  notes = await openNotes()
  const names = options => toolDeclarations(notes.session, options).map(({ name }) => name)
  expect(names()).toEqual(['find_note', 'send_note', 'wait_for_note'])
  expect(names({ services: ['mail'] })).toEqual(['find_note', 'read_mail', 'send_note', 'wait_for_note'])
})

test('a call goes through the gate with an object or JSON text, once for each id', async () => {
  notes = await openNotes()
  const call = wrapToolCall(notes.session)
  const asked = { name: 'find_note', args: { query: 'roof' } }
  const answers = [
    await call({ ...asked, id: 'call_find_0001' }),
    await call({ ...asked, id: 'call_find_0001' }),
    await call({ ...asked, args: '{"query":"wall"}' }),
    await call({ ...asked, args: { query: {} } }),
    await call({ ...asked, args: '{"query":' }),
    await call({ name: 'find_nothing', args: {} }),
  ]
  expect(answers.map(({ ok, data, error }) => (ok ? data.echo.query : error.type))).toEqual([
    'roof',
    'roof',
    'wall',
    'VALIDATION',
    'VALIDATION',
    'NOT_FOUND',
  ])
  expect(notes.ran.map(({ args }) => args.query)).toEqual(['roof', 'wall'])
})

const DECLINED = { ok: false, error: { type: 'CANCELLED', message: '`send_note` was declined: nothing was done' } }
/** What a model gets has no versions and times. */
const isLean = answer => ['registryVersion', 'timestamp'].every(name => !(name in (answer.meta ?? {})))
const REQUIRED = { ok: false, error: { type: 'CONFIRMATION_REQUIRED' } }

test.each([
  ['true runs it', true, { ok: true, data: { echo: { to: 'Ada' } } }, ['Ada'], []],
  ['an approval runs it', { approved: true }, { ok: true, data: { echo: { to: 'Ada' } } }, ['Ada'], []],
  ['false declines it', false, DECLINED, [], []],
  [
    'a refusal has its reason',
    { approved: false, reason: 'wrong person' },
    { ok: false, error: { ...DECLINED.error, details: { reason: 'wrong person' } } },
    [],
    [],
  ],
  ['no reply leaves it pending', undefined, REQUIRED, [], ['call_send_0001']],
  ['a text is no consent', 'true', REQUIRED, [], ['call_send_0001']],
])('a call that needs consent: %s', async (_, reply, answer, sentTo, left) => {
  notes = await openNotes()
  const questions = []
  const confirm = question => {
    questions.push(question)
    return reply
  }
  const given = await wrapToolCall(notes.session, { confirm })(send)
  expect(given).toMatchObject(answer)
  expect(isLean(given)).toBe(true)
  expect(questions).toMatchObject([{ callId: send.id, name: 'send_note', request: { args: { to: 'Ada' } } }])
  expect(questions[0].request.token).toBeUndefined()
  expect(notes.ran.map(({ args }) => args.to)).toEqual(sentTo)
  expect(await pending()).toEqual(left)
})

test('an error of confirm rejects the call, and runs nothing', async () => {
  notes = await openNotes()
  const confirm = () => Promise.reject(new Error('the page was closed'))
  await expect(wrapToolCall(notes.session, { confirm })(send)).rejects.toThrow('the page was closed')
  expect([notes.ran, await pending()]).toEqual([[], ['call_send_0001']])
})

test('the token of a question reaches the host, never the model', async () => {
  notes = await openNotes()
  const heard = []
  const call = wrapToolCall(notes.session, { onToolResponse: response => heard.push(response) })
  const answer = await call(send)
  expect(answer).toMatchObject(REQUIRED)
  expect(answer.error.confirmation_request.token).toBeUndefined()
  expect(heard[0].error.confirmation_request.token).toEqual(expect.any(String))
})

test('an abort cancels the call', async () => {
  const controller = new AbortController()
  let reason
  notes = await openNotes({
    wait_for_note: ({ signal }) => {
      setImmediate(() => controller.abort())
      return new Promise(resolve =>
        signal.addEventListener('abort', () => {
          reason = signal.reason.name
          resolve({ ok: true })
        }),
      )
    },
  })
  const call = wrapToolCall(notes.session)
  const wait = { name: 'wait_for_note', args: {}, signal: controller.signal }
  expect((await call({ ...wait, id: 'call_wait_0001' })).error.type).toBe('CANCELLED')
  expect(reason).toBe('AbortError')
  expect((await call(wait)).error.type).toBe('CANCELLED')
  expect(notes.ran).toHaveLength(1)
})

test('an abort leaves the same call of another request, and what has the same id', async () => {
  const runs = []
  notes = await openNotes({ find_note: ({ args, signal }) => new Promise(end => runs.push({ args, signal, end })) })
  const requests = [new AbortController(), new AbortController()]
  const attach = () =>
    notes.registry.createSession({ sessionId: notes.session.sessionId, mode: 'text', exclusive: false })
  const [mine, theirs] = [wrapToolCall(await attach()), wrapToolCall(await attach())]
  const find = (query, id, n) => ({ id, name: 'find_note', args: { query }, signal: requests[n].signal })
  const gone = [mine(find('roof', 'call_0', 0)), mine(find('door', 'call_1', 0))]
  const stays = [theirs(find('wall', 'call_0', 1)), theirs(find('door', 'call_1', 1))]
  while (runs.length < 3) await new Promise(resolve => setImmediate(resolve))
  requests[0].abort()
  expect((await Promise.all(gone)).map(({ error }) => error.type)).toEqual(['CANCELLED', 'CANCELLED'])
  expect(runs.map(({ args, signal }) => [args.query, signal.aborted])).toEqual([
    ['roof', true],
    ['door', false],
    ['wall', false],
  ])
  for (const { args, end } of runs) end({ ok: true, data: args.query })
  expect((await Promise.all(stays)).map(({ data }) => data)).toEqual(['wall', 'door'])
})
