// The tools of a session in the OpenAI Agents SDK: its own runner, over a scripted model.
import { Agent, RunState, Runner, Usage, setTracingDisabled } from '@openai/agents'
import adapter from '../../js/adapters/openai-agents.js'
import { openNotes } from './note-tools.mjs'

const { rejectCall, toAgentTools } = adapter
setTracingDisabled(true)

let notes
afterEach(() => notes.close())

const call = (callId, name, args) => ({ type: 'function_call', callId, name, arguments: args, status: 'completed' })
const message = text => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
})

/** An agent whose model answers its n-th request with `rounds[n]`; `requests` holds what the model received. */
function scripted(rounds, options, session = notes.session) {
  const requests = []
  const model = {
    async getResponse(request) {
      const output = rounds[requests.length]
      requests.push(request)
      return { usage: new Usage(), output, responseId: `r${requests.length}` }
    },
  }
  const agent = new Agent({ name: 'notes', model, tools: toAgentTools(session, options) })
  const answers = () =>
    requests
      .at(-1)
      .input.filter(({ type }) => type === 'function_call_result')
      .map(({ output }) => JSON.parse(output.text ?? output))
  return { agent, requests, answers }
}
const run = (agent, input, options) => new Runner().run(agent, input, options)
const pending = async () => (await notes.session.listPending()).map(({ callId }) => callId)

test('calls go through the gate as the model sent them', async () => {
  notes = await openNotes()
  const { agent, requests, answers } = scripted([
    [call('call_find_0001', 'find_note', '{"query":"roof"}'), call('call_find_0002', 'find_note', '{"query":""}')],
    [message('done')],
  ])
  const { finalOutput } = await run(agent, 'find')
  expect(finalOutput).toBe('done')
  expect(requests[0].tools.map(({ name, strict }) => [name, strict])).toEqual([
    ['find_note', false],
    ['send_note', false],
    ['wait_for_note', false],
  ])
  expect(answers()).toMatchObject([
    { ok: true, data: { echo: { query: 'roof', limit: 2 } } },
    { ok: false, error: { type: 'VALIDATION' } },
  ])
  expect(notes.ran).toEqual([{ toolId: 'find_note', args: { query: 'roof', limit: 2 } }])
})

test('broken JSON asks no question of the gate, and runs nothing if it is approved', async () => {
  notes = await openNotes()
  const { agent } = scripted([[call('call_send_0001', 'send_note', '{"to":"A')], [message('done')]])
  const { interruptions, state } = await run(agent, 'send')
  expect([interruptions.length, await pending()]).toEqual([1, []])
  state.approve(interruptions[0])
  expect((await run(agent, state)).finalOutput).toBe('done')
  expect(notes.ran).toEqual([])
})

test('an approval runs the call of the question once, also from a serialized state', async () => {
  notes = await openNotes()
  const { agent, answers } = scripted([[call('call_send_0001', 'send_note', '{"to":"Ada"}')], [message('sent')]])
  const { interruptions, state } = await run(agent, 'send')
  expect(interruptions.map(({ rawItem }) => rawItem.callId)).toEqual(['call_send_0001'])
  expect([await pending(), notes.ran]).toEqual([['call_send_0001'], []])
  const restored = await RunState.fromString(agent, state.toString())
  restored.approve(restored.getInterruptions()[0])
  expect((await run(agent, restored)).finalOutput).toBe('sent')
  expect(answers()).toMatchObject([{ ok: true, data: { echo: { to: 'Ada' } } }])
  // The same state again: the call has run.
  const again = scripted([[message('sent')]])
  const second = await RunState.fromString(again.agent, state.toString())
  second.approve(second.getInterruptions()[0])
  await run(again.agent, second)
  expect(again.answers()).toMatchObject([{ ok: true, meta: { _idempotent_cache_hit: true } }])
  expect(notes.ran).toEqual([{ toolId: 'send_note', args: { to: 'Ada' } }])
})

describe('a restored state goes on in the turn of its question', () => {
  const ask = async () => {
    const { agent } = scripted([
      [call('call_1', 'send_note', '{"to":"Ada"}'), call('call_2', 'send_note', '{"to":"Eve"}')],
    ])
    return (await run(agent, 'send')).state.toString()
  }
  /** Goes on from the state, whose first calls are approved. */
  const goOn = async (text, session, rounds, approved = 1) => {
    const seen = []
    const onToolResponse = ({ meta }) => seen.push(meta.turn)
    const { agent, answers } = scripted(rounds, { approvals: true, onToolResponse }, session)
    const state = await RunState.fromString(agent, text)
    for (const interruption of state.getInterruptions().slice(0, approved)) state.approve(interruption)
    await run(agent, state)
    return { seen, answers }
  }
  const again = () => notes.registry.createSession({ sessionId: notes.session.sessionId, mode: 'text' })

  test.each([
    ['with the session that asked', () => notes.session],
    ['with another one of its name', again],
  ])('%s: an approval that comes twice is answered with the result, also of a short id', async (_, open) => {
    notes = await openNotes()
    const text = await ask()
    const done = [message('done')]
    const first = await goOn(text, await open(), [[call('call_find_0001', 'find_note', '{"query":"roof"}')], done], 2)
    expect(first.seen).toEqual([1, 1, 1])
    const second = await goOn(text, await open(), [done], 2)
    expect(second.answers()).toMatchObject(
      ['Ada', 'Eve'].map(to => ({ ok: true, data: { echo: { to } }, meta: { _idempotent_cache_hit: true } })),
    )
    expect(notes.ran.map(({ args }) => args.to ?? args.query)).toEqual(['Ada', 'Eve', 'roof'])
  })

  test('a call of it that still waits is not asked about in another turn', async () => {
    notes = await openNotes()
    const { seen } = await goOn(await ask(), notes.session, [])
    expect([seen, await pending()]).toEqual([[1, 1], ['call_2']])
  })

  test('the next run begins a turn', async () => {
    notes = await openNotes()
    await goOn(await ask(), notes.session, [[message('done')]], 2)
    const find = call('call_find_0001', 'find_note', '{"query":"roof"}')
    await run(scripted([[find], [message('done')]]).agent, 'find')
    expect(notes.session.turn).toBe(2)
  })
})

test('a rejection declines the question, and `alwaysApprove` is no consent to another call', async () => {
  notes = await openNotes()
  const first = scripted([[call('call_send_0001', 'send_note', '{"to":"Ada"}')], [message('not sent')]])
  const { interruptions, state } = await run(first.agent, 'send')
  expect(await rejectCall(notes.session, state, interruptions[0], { reason: 'wrong person' })).toBe(true)
  expect((await run(first.agent, state)).finalOutput).toBe('not sent')
  expect([await pending(), notes.ran]).toEqual([[], []])

  const always = scripted([
    [call('call_send_0002', 'send_note', '{"to":"Ada"}')],
    [call('call_send_0003', 'send_note', '{"to":"Eve"}')],
    [message('done')],
  ])
  const asked = await run(always.agent, 'send')
  asked.state.approve(asked.interruptions[0], { alwaysApprove: true })
  await run(always.agent, asked.state)
  expect(always.answers()).toMatchObject([
    { ok: true },
    { error: { type: 'CONFIRMATION_EXPIRED', details: { reason: 'not_granted' } } },
  ])
  expect([notes.ran.map(({ args }) => args.to), await pending()]).toEqual([['Ada'], []])
})

describe('`alwaysApprove` becomes a grant', () => {
  const send = (n, to) => [call(`call_send_000${n}`, 'send_note', JSON.stringify({ to }))]

  /** Approves the first call always, in a state that another process has read, and runs the others. */
  async function always(grantable, rounds) {
    notes = await openNotes({}, { confirmation: { grantable }, duplicate: false })
    const { agent, answers } = scripted([...rounds, [message('done')]])
    const asked = await run(agent, 'send')
    const restored = await RunState.fromString(agent, asked.state.toString())
    restored.approve(restored.getInterruptions()[0], { alwaysApprove: true })
    const { interruptions } = await run(agent, restored)
    expect([interruptions, await pending()]).toEqual([[], []])
    const outcomes = answers().map(({ ok, error, meta }) => (ok ? 'ran' : (error.details?.reason ?? meta)))
    return { outcomes, ran: notes.ran.map(({ args }) => args.to), grants: await notes.session.grants() }
  }

  test('of any arguments', async () => {
    const { outcomes, ran, grants } = await always('tool', [send(1, 'Ada'), send(2, 'Eve'), send(3, 'Bob')])
    expect([outcomes, ran]).toEqual([
      ['ran', 'ran', 'ran'],
      ['Ada', 'Eve', 'Bob'],
    ])
    expect(grants).toMatchObject([{ tool: 'send_note', scope: 'tool', callsLeft: 98, via: 'adapter' }])
  })

  test('of equal arguments, if the tool allows no more', async () => {
    const { outcomes, ran, grants } = await always('args', [send(1, 'Ada'), send(2, 'Eve')])
    expect([outcomes, ran]).toEqual([['ran', 'not_granted'], ['Ada']])
    expect(grants).toMatchObject([{ scope: 'args', callsLeft: 100 }])
  })

  test('of nothing, if the tool allows none', async () => {
    const { outcomes, ran, grants } = await always(false, [send(1, 'Ada'), send(2, 'Ada'), send(3, 'Eve')])
    expect([outcomes.at(-1), ran, grants]).toEqual(['not_granted', ['Ada'], []])
  })

  test('that its user revokes: later calls run no more', async () => {
    notes = await openNotes({}, { confirmation: { grantable: 'tool' }, duplicate: false })
    const { agent, answers } = scripted([send(1, 'Ada'), send(2, 'Eve'), [message('done')]], {
      onToolResponse: async () => {
        for (const { id } of await notes.session.grants()) await notes.session.revoke(id)
      },
      approvals: true,
    })
    const { interruptions, state } = await run(agent, 'send')
    state.approve(interruptions[0], { alwaysApprove: true })
    await run(agent, state)
    expect(answers()).toMatchObject([{ ok: true }, { error: { details: { reason: 'not_granted' } } }])
    expect([notes.ran.map(({ args }) => args.to), await pending()]).toEqual([['Ada'], []])
  })
})

test('an aborted run cancels its calls', async () => {
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
  const { agent } = scripted([[call('call_wait_0001', 'wait_for_note', '{}')], [message('done')]])
  await run(agent, 'wait', { signal: controller.signal }).catch(() => null)
  expect(reason).toBe('AbortError')
})

test('a host that takes the questions itself gets the answers with their tokens', async () => {
  notes = await openNotes()
  const heard = []
  const { agent, answers } = scripted([[call('call_send_0001', 'send_note', '{"to":"Ada"}')], [message('asked')]], {
    onToolResponse: response => heard.push(response),
  })
  expect((await run(agent, 'send')).interruptions).toEqual([])
  const { token } = heard[0].error.confirmation_request
  expect(answers()[0].error.type).toBe('CONFIRMATION_REQUIRED')
  expect(JSON.stringify(answers())).not.toContain(token)
})
