// OpenAI's GPT-Live behind the same server: no turns, and work by a Responses backend or by the host.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { call, latch, on, say } from './support/fixture.js'
import { READ_BACK, isReconnected, isSaid, startLive, timesSaid } from './support/gpt-live.js'

/** A handler that the test holds. */
function held(data = {}) {
  const [started, released] = [latch(), latch()]
  const handler = async () => {
    handler.runs += 1
    started.open()
    await released.opened
    return { ok: true, data }
  }
  return Object.assign(handler, { runs: 0, started: started.opened, release: released.open })
}

// They wait more than they work.
describe('gpt-live', { concurrency: 4 }, () => {
  test('the backend gets the tools and the prompt, the model that speaks gets rules of speech', async t => {
    const { sent, begin, registry, server } = await startLive(t, 'responses')
    const { started } = await begin()
    const [{ session }] = sent('session.start')
    const { type, responses } = session.delegation
    assert.deepEqual([session.model, session.audio], ['gpt-live-1', { format: { type: 'audio/pcm', rate: 24000 } }])
    assert.deepEqual([type, responses.model], ['responses', 'gpt-6.1-terra'])
    assert.ok(responses.tools.some(({ type: kind, name }) => kind === 'function' && name === 'note_save'))
    assert.ok(responses.instructions.includes(`# Available Tools (v${registry.getVersion()})`))
    assert.ok(!session.instructions.includes('Available Tools'))
    for (const text of [session.instructions, responses.instructions]) assert.match(text, /\b20\d\d-\d\d-\d\d/)
    assert.deepEqual([started.provider, started.model, started.simulator], ['gptLive', 'gpt-live-1', true])
    const health = await (await fetch(server.url.replace('ws:', 'http:').replace('/voice', '/healthz'))).json()
    assert.equal(health.details.provider, 'gptLive')
  })

  test('a host that does the work is not given a backend', async t => {
    const { sent, begin } = await startLive(t, 'host')
    await begin()
    assert.deepEqual(sent('session.start')[0].session.delegation, { type: 'client' })
  })

  for (const mode of ['responses', 'host']) {
    test(`${mode}: what is asked for aloud is done and told once`, async t => {
      const cue_set = async () => ({ ok: true, data: { cue: 'set' } })
      const { begin, sent, sim } = await startLive(t, mode, { handlers: { cue_set } })
      const client = await begin()
      await client.hears('set the cue')
      assert.equal((await client.next('toolResult')).ok, true)
      await client.next('turnComplete')
      assert.equal(timesSaid(client, 'The cue is set.'), 1)
      const [heard] = client.ofType('transcript')
      assert.deepEqual([heard.direction, heard.text], ['input', 'set the cue'])
      assert.ok(client.ofType('audio').length > 0)
      const answers = mode === 'responses' ? sent('response.item.create') : sent('session.commentary.append')
      assert.equal(answers.length, 1)
      assert.deepEqual([client.ofType('interrupted'), client.ofType('error'), sim.anomalies], [[], [], []])
    })

    test(`${mode}: what is typed is done and told once, also while the model speaks`, async t => {
      const cue_set = async () => ({ ok: true, data: {} })
      const rules = [on('talk', [say('a long story'), { wait: 60_000 }, say('its end')])]
      const { begin, sent, sim } = await startLive(t, mode, { rules, handlers: { cue_set } })
      const client = await begin()
      await client.hears('talk')
      await client.next('audio')
      client.say('set the cue')
      await client.next('interrupted')
      await client.next(isSaid('The cue is set.'))
      await client.next('turnComplete')
      assert.deepEqual([timesSaid(client, 'The cue is set.'), timesSaid(client, 'its end')], [1, 0])
      assert.equal(sent('session.output_audio.fixture.play').length, 1)
      assert.deepEqual(sim.anomalies, [])
    })

    test(`${mode}: a write that needs consent runs after its key, not before the question was put`, async t => {
      const { begin, notes, sim } = await startLive(t, mode)
      const client = await begin()
      await client.hears('save it')
      const { request, readBack } = await client.next('confirmation')
      assert.equal(readBack, READ_BACK)
      client.send({ type: 'dtmf', digit: '1' })
      assert.equal((await client.next('error')).code, 'not_asked')
      await client.next(isSaid('Shall I do that?'))
      assert.deepEqual(notes, [])
      client.send({ type: 'dtmf', digit: '1' })
      const closed = await client.next('confirmationClosed')
      assert.deepEqual([closed.outcome, closed.by], ['confirmed', 'dtmf'])
      await client.next(isSaid('The user confirmed `note_save`. It has run.'))
      await client.next('turnComplete')
      assert.deepEqual([notes, timesSaid(client, 'Shall I do that?')], [['buy milk'], 1])
      assert.ok(!JSON.stringify(sim.received).includes(request.token))
      assert.deepEqual(sim.anomalies, [])
    })

    test(`${mode}: a yes counts after the read-back, which the model says, and at no other time`, async t => {
      const { begin, notes } = await startLive(t, mode, { server: { spokenConsent: true } })
      const client = await begin()
      await client.hears('save it')
      await client.next('confirmation')
      await client.speaks('yes')
      await client.next(isSaid('Shall I do that?'))
      await client.next('turnComplete')
      assert.deepEqual(notes, [])
      await client.speaks('yes')
      const closed = await client.next('confirmationClosed')
      assert.deepEqual([closed.outcome, closed.by, notes], ['confirmed', 'speech', ['buy milk']])
      await client.next(isSaid('It has run.'))
    })

    test(`${mode}: the connection is cut while a tool runs: it runs once, and its result is told once`, async t => {
      const slow_read = held({ found: 'it' })
      const { begin, model, sim, written } = await startLive(t, mode, { handlers: { slow_read } })
      const client = await begin()
      await client.hears('look')
      await slow_read.started
      ;(await model()).disconnect({ code: 1011 })
      await client.next(isReconnected)
      slow_read.release()
      await client.next(({ type, ok }) => type === 'toolResult' && ok)
      const told = mode === 'host' ? 'I found it.' : 'asked earlier'
      await client.next(isSaid(told))
      await client.next('turnComplete')
      assert.deepEqual([slow_read.runs, timesSaid(client, told)], [1, 1])
      assert.equal(written().filter(text => text.includes(told)).length, 1)
      assert.deepEqual(sim.anomalies, [])
    })

    test(`${mode}: the session is renewed before it expires, in the middle of a tool: the new one knows what was said`, async t => {
      const slow_read = held({ found: 'it' })
      const { begin, sent, sim } = await startLive(t, mode, {
        handlers: { slow_read },
        settings: { sessionSeconds: 2 },
      })
      const client = await begin()
      await client.hears('look')
      await slow_read.started
      await client.next(isReconnected)
      slow_read.release()
      const told = mode === 'host' ? 'I found it.' : 'asked earlier'
      await client.next(isSaid(told))
      const [, { session }] = sent('session.start')
      assert.deepEqual(session.input.map(({ role, content }) => [role, content[0].type, content[0].text]).slice(0, 1), [
        ['user', 'input_text', 'look'],
      ])
      assert.match(session.input.at(-1).content[0].text, /do not delegate it again/)
      assert.deepEqual([slow_read.runs, timesSaid(client, told), sim.anomalies], [1, 1, []])
    })

    test(`${mode}: a background job is told once, when it ends`, async t => {
      const job_run = held({ rows: 7 })
      const { begin, sim, audit } = await startLive(t, mode, { handlers: { job_run } })
      const client = await begin()
      await client.hears('start it')
      await client.next(isSaid('The job has begun.'))
      await client.next('turnComplete')
      job_run.release()
      await client.next(isSaid('asked earlier'))
      await client.next('turnComplete')
      assert.deepEqual([job_run.runs, timesSaid(client, 'asked earlier')], [1, 1])
      assert.equal(audit.filter(({ event }) => event === 'result_delivered').length, 1)
      assert.deepEqual(sim.anomalies, [])
    })

    test(`${mode}: a text of the host is said at rest`, async t => {
      const { begin, server } = await startLive(t, mode)
      const client = await begin()
      assert.equal(server.say(client.started.sessionId, 'Your report is ready.'), true)
      await client.next(isSaid('Your report is ready.'))
      await client.next('turnComplete')
      assert.equal(timesSaid(client, 'Your report is ready.'), 1)
    })

    test(`${mode}: a client that comes back finds its question asked again, and what was said`, async t => {
      const { begin, sent, notes } = await startLive(t, mode)
      const first = await begin()
      await first.hears('save it')
      await first.next(isSaid('Shall I do that?'))
      await first.close()
      const { sessionId, resumeToken } = first.started
      const second = await begin({ sessionId, resumeToken })
      assert.equal(second.started.resumed, true)
      assert.equal((await second.next('confirmation')).readBack, READ_BACK)
      await second.next(isSaid('Shall I do that?'))
      second.send({ type: 'dtmf', digit: '1' })
      assert.equal((await second.next('confirmationClosed')).outcome, 'confirmed')
      assert.deepEqual(notes, ['buy milk'])
      assert.equal(sent('session.start')[1].session.input[0].content[0].text, 'save it')
    })
  }

  test('two calls of the backend are answered together, and a text that is typed meanwhile is answered after them', async t => {
    const [cue_set, slow_read] = [async () => ({ ok: true, data: {} }), held()]
    const rules = [
      on('both', [{ calls: [{ name: 'cue_set', args: { cue: 'a' } }, { name: 'slow_read' }] }], [say('both done')]),
      on('hello', [say('hi')]),
    ]
    const { begin, sent, sim } = await startLive(t, 'responses', { rules, handlers: { cue_set, slow_read } })
    const client = await begin()
    await client.hears('both')
    await slow_read.started
    client.say('hello')
    await sim.whenReceived(({ json }) => json?.item?.role === 'user')
    slow_read.release()
    await client.next(isSaid('hi'))
    assert.equal(sent('response.item.create').filter(({ item }) => item.type === 'function_call_output').length, 2)
    assert.deepEqual(sim.anomalies, [])
  })

  test('a backend that is silent is noticed: the connection is restored, audibly', async t => {
    const rules = [on('dead', [{ wait: 60_000 }])]
    const { begin, sim } = await startLive(t, 'responses', { rules, server: { limits: { answerSilenceMs: 400 } } })
    const client = await begin()
    client.say('dead')
    assert.equal((await client.next('line')).kind, 'reconnecting')
    await client.next(isReconnected)
    await sim.whenReceived(({ json, connection }) => connection === 2 && json?.item?.content?.[0].text === 'dead')
  })

  test('silence of the user and of the model is no silence of the provider', async t => {
    const rules = [on('just talking to myself', [])]
    const { begin, model, sim } = await startLive(t, 'responses', {
      rules,
      server: { limits: { answerSilenceMs: 2000 } },
    })
    const client = await begin()
    await client.hears('just talking to myself')
    const quiet = { type: 'session.output_audio.delta', delta: Buffer.alloc(960).toString('base64') }
    for (let at = 0; at < 50; at += 1) (await model()).send(quiet)
    await client.next(({ type, final, direction }) => type === 'transcript' && final && direction === 'input')
    await delay(2300)
    client.say('just talking to myself')
    await sim.whenReceived(({ json }) => json?.type === 'response.create')
    assert.deepEqual([client.ofType('line'), client.ofType('audio'), sim.gptLive.connections.length], [[], [], 1])
  })

  test('a response that fails is asked for again; errors and frames that hold anything end nothing', async t => {
    let asked = 0
    const rules = [on('hello', [say('hi')])]
    const { begin, model, logger, sim } = await startLive(t, 'responses', {
      rules,
      server: { limits: { answerRetryMs: 20 } },
    })
    const client = await begin()
    const provider = await model()
    const failed = { type: 'response.failed', response: { id: 'r', error: { code: 'server_error' } } }
    asked = sim.received.filter(({ json }) => json?.type === 'response.create').length
    provider.send({ type: 'response.event', delegation_id: 'd', event: failed })
    await sim.whenReceived(
      () => sim.received.filter(({ json }) => json?.type === 'response.create').length === asked + 1,
    )
    const types = ['response.event', 'error', 'session.delegation.created', 'session.output_audio.delta', 'toString']
    for (const side of ['input', 'output']) types.push(`session.${side}_transcript.delta`)
    types.push('session.output_audio.fixture.played', 'session.commentary.appended', 'link.pause', '__proto__')
    const members = [
      {},
      { event: null, delegation: null, delta: null, error: null, client_event_id: null },
      { event: 7, delegation: 'x', delta: {}, error: [], client_event_id: {} },
      { event: { type: 7 }, delegation: { id: {}, target: 'client' }, delta: '*', error: { client_event_id: 7 } },
      { event: { type: 'response.failed', response: 7 }, delegation: { id: 'd', target: 'other' }, delta: 'AAA=' },
    ]
    for (const type of types) for (const more of members) provider.send({ type, ...more })
    provider.sendRaw('{"broken')
    client.say('hello')
    await client.next(isSaid('hi'))
    assert.ok(logger.lines.some(({ message }) => message === 'provider sent a bad frame'))
    assert.deepEqual(
      logger.lines.filter(({ level }) => level === 'error'),
      [],
    )
    assert.deepEqual(client.ofType('error'), [])
  })

  test('a key that is refused is no conversation', async t => {
    const { open } = await startLive(t, 'responses', {
      server: { gptLive: { apiKey: 'any', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const client = await open()
    client.send({ type: 'start' })
    assert.equal((await client.next('error')).code, 'provider_unavailable')
  })

  test('a model that sends its voice ahead of time is cut when the user speaks, and no call is aborted', async t => {
    const slow_read = held({ found: 'it' })
    const rules = [on('both', [call('slow_read'), say('a'.repeat(9000))]), on('wait', [])]
    const settings = { toneMs: 2000 }
    const { begin, sim } = await startLive(t, 'responses', { rules, handlers: { slow_read }, settings })
    const client = await begin()
    await client.hears('both')
    await slow_read.started
    await client.next('audio')
    await client.hears('wait')
    await client.next('interrupted')
    slow_read.release()
    assert.equal((await client.next('toolResult')).ok, true)
    const { json } = await sim.whenReceived(({ json: event }) => event?.type === 'response.item.create')
    assert.deepEqual(JSON.parse(json.item.output).data, { found: 'it' })
    assert.deepEqual(sim.anomalies, [])
  })
})
