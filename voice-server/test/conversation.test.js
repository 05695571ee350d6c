// End-to-end conversations: a client, the real Gemini SDK, the simulator, the real tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, on, say, startFixture } from './support/fixture.js'

const SEARCH = 'kb_search'

test('a search is answered with citations', async t => {
  const cited = { sayEach: { path: 'result.data.results', text: '{{item.title}} [{{item.id}}]', separator: '; ' } }
  const { sim, start, answers } = await startFixture(t, {
    rules: [on({ contains: 'audio' }, [call(SEARCH, { query: 'audio projects in Rust' })], [say('I found: '), cited])],
  })
  const client = await start()
  client.say('Which audio projects use Rust?')
  const said = await client.answer()

  const [{ name, response }] = answers()
  assert.equal(name, SEARCH)
  assert.equal(response.ok, true)
  assert.ok(response.data.results.length > 0)
  for (const { id, title } of response.data.results) assert.ok(said.includes(`${title} [${id}]`), said)
  assert.deepEqual(
    client.frames.filter(({ type }) => type.startsWith('tool')).map(({ type, name: tool, ok }) => [type, tool, ok]),
    [
      ['toolCall', SEARCH, undefined],
      ['toolResult', SEARCH, true],
    ],
  )
  assert.ok(client.ofType('audio').length > 0)
  assert.deepEqual(sim.anomalies, [])
})

test('the model is set up for speech, with the voice tools, their summaries and both transcripts', async t => {
  const { sim, start, registry } = await startFixture(t, { rules: [] })
  const { started } = await start()
  const { setup } = await sim.live.whenConnected()
  assert.equal(setup.model, 'models/gemini-3.8-live')
  assert.deepEqual(setup.generationConfig.responseModalities, ['AUDIO'])
  assert.deepEqual([setup.inputAudioTranscription, setup.outputAudioTranscription], [{}, {}])
  const declared = setup.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name))
  assert.ok(declared.includes(SEARCH) && declared.includes('end_voice_session'))
  assert.ok(!declared.includes('start_voice_session'))
  const prompt = setup.systemInstruction.parts.map(({ text }) => text).join('')
  assert.ok(prompt.includes(`# Available Tools (v${registry.getVersion()})`))
  assert.deepEqual(
    { ...started, sessionId: '', resumeToken: '' },
    {
      type: 'started',
      sessionId: '',
      resumeToken: '',
      resumed: false,
      turn: 1,
      toolsVersion: registry.getVersion(),
      simulator: true,
      provider: 'gemini',
      model: 'gemini-3.8-live',
      audio: { inputRate: 16000, outputRate: 24000 },
      spokenConsent: false,
    },
  )
})

test('a tool of another mode is refused, and the model is told where it belongs', async t => {
  const { start, answers } = await startFixture(t, {
    rules: [on('talk', [call('start_voice_session')], [say('{{result.error.type}}')])],
  })
  const client = await start()
  client.say('talk')
  assert.equal(await client.answer(), 'MODE_RESTRICTED')
  const [{ response }] = answers()
  assert.equal(response.ok, false)
  assert.match(response.error.suggestion ?? response.error.message, /text/)
  assert.equal(client.ofType('toolResult')[0].errorType, 'MODE_RESTRICTED')
})

test('the third retrieval of a turn is refused, and the next turn starts fresh', async t => {
  const queries = ['onboarding', 'onboarding process', 'onboarding people']
  const { start, answers } = await startFixture(t, {
    rules: [
      on({ contains: 'search' }, [{ calls: queries.map(query => ({ name: SEARCH, args: { query } })) }], [say('done')]),
    ],
  })
  const client = await start()
  client.say('search everything')
  await client.answer()
  client.say('search again')
  await client.answer()
  const types = answers().map(({ response }) => response.error?.type ?? 'ok')
  assert.deepEqual(types, ['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'ok', 'BUDGET_EXCEEDED'])
  assert.deepEqual(
    client.ofType('turnComplete').map(({ turn }) => turn),
    [1, 2],
  )
})

test('the calls of one message are answered in one message', async t => {
  const { sim, start } = await startFixture(t, {
    rules: [
      on(
        'both',
        [
          {
            calls: [
              { name: SEARCH, args: { query: 'rust' } },
              { name: 'kb_get', args: { id: 'person:nobody' } },
            ],
          },
        ],
        [say('ok')],
      ),
    ],
  })
  const client = await start()
  client.say('both')
  await client.answer()
  const messages = sim.received.filter(({ json }) => json?.toolResponse)
  assert.equal(messages.length, 1)
  assert.deepEqual(
    messages[0].json.toolResponse.functionResponses.map(({ name, response }) => [name, response.ok]),
    [
      [SEARCH, true],
      ['kb_get', false],
    ],
  )
})

test('spoken words are heard, written down and begin a turn; an open microphone begins no second one', async t => {
  const queries = ['audio one', 'audio two', 'audio three']
  const { start, answers } = await startFixture(t, {
    audio: { transcripts: ['search for audio', 'search for rust'] },
    rules: [
      on({ contains: 'search' }, [{ calls: queries.map(query => ({ name: SEARCH, args: { query } })) }], [say('done')]),
    ],
  })
  const client = await start()
  const second = Buffer.alloc(3200)
  for (const turn of [1, 2]) {
    client.send(second)
    client.send(second)
    client.send({ type: 'audioEnd' })
    const heard = await client.next(({ type, direction }) => type === 'transcript' && direction === 'input')
    assert.match(heard.text, /search for/)
    assert.equal((await client.next('turnComplete')).turn, turn)
  }
  const types = answers().map(({ response }) => response.error?.type ?? 'ok')
  assert.deepEqual(types, ['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'ok', 'BUDGET_EXCEEDED'])
})

test('words that are heard begin a turn too, before the calls that answer them are counted', async t => {
  const { sim, start, answers } = await startFixture(t, { rules: [] })
  const client = await start()
  const provider = await sim.live.whenConnected()
  for (const turn of [1, 2]) {
    const functionCalls = [1, 2, 3].map(n => ({
      id: `function-call-${turn}${n}47114711`,
      name: SEARCH,
      args: { query: `audio ${turn}${n}` },
    }))
    provider.send({ serverContent: { inputTranscription: { text: 'search' } }, toolCall: { functionCalls } })
    await sim.whenReceived(() => answers().length === turn * 3)
    provider.send({ serverContent: { turnComplete: true } })
    assert.equal((await client.next('turnComplete')).turn, turn)
  }
  const types = answers().map(({ response }) => response.error?.type ?? 'ok')
  assert.deepEqual(types, ['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'ok', 'BUDGET_EXCEEDED'])
})

test('the first turn answers the request that was pending when voice began', async t => {
  const { start } = await startFixture(t, { rules: [on({ contains: 'audio' }, [say('About audio: {{user}}')])] })
  const client = await start({ pendingRequest: 'Tell me about audio' })
  assert.equal(await client.answer(), 'About audio: Tell me about audio')
})

test('a text that is sent again under its id belongs to its turn', async t => {
  const { start } = await startFixture(t, { rules: [on('hello', [say('hi')])] })
  const client = await start()
  const turns = []
  for (const id of ['m1', 'm1', 'm2']) {
    client.say('hello', { id })
    turns.push((await client.next('turnComplete')).turn)
  }
  assert.deepEqual(turns, [1, 1, 2])
})

test('a call that only the content announces is answered, and its late twin runs nothing', async t => {
  const { sim, start, answers, audit } = await startFixture(t, {
    rules: [on('hidden', [call(SEARCH, { query: 'audio' }, { id: null, parts: 'only' })], [say('{{result.ok}}')])],
  })
  const client = await start()
  client.say('hidden')
  assert.equal(await client.answer(), 'true')
  assert.equal(answers()[0].id, undefined)
  assert.deepEqual(sim.anomalies, [])
  assert.equal(audit.filter(({ event }) => event === 'tool_execution').length, 1)
})

test('a call that content and toolCall both announce runs once', async t => {
  const { sim, start, answers } = await startFixture(t, {
    rules: [
      on(
        'twice',
        [
          call(SEARCH, { query: 'audio' }, { parts: 'before' }),
          call('kb_get', { id: 'person:nobody' }, { parts: 'after', partId: true }),
        ],
        [say('done')],
      ),
    ],
  })
  const client = await start()
  client.say('twice')
  await client.answer()
  assert.deepEqual(
    answers().map(({ name }) => name),
    [SEARCH, 'kb_get'],
  )
  assert.deepEqual(sim.anomalies, [])
})
