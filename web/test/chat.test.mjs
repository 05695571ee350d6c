// The chat over HTTP: the built app, the real gate with the shipped tools, the simulator in place of a model.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Browser, textPart, userMessage } from './browser.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startWeb } from './web-server.mjs'

describe('chat', () => {
  let web
  let simulator
  before(async () => {
    const started = await simulate({ after: onEnd })
    simulator = started.simulator
    web = await startWeb({ after: onEnd }, { env: started.env })
  })
  const endings = []
  const onEnd = fn => endings.unshift(fn)
  test.after(async () => {
    for (const end of endings) await end()
  })

  test('a search is answered with citations, its call visible in the stream', async () => {
    const turn = await new Browser(web.url).say('Who knows about Rust?')
    const [input] = turn.ofType('tool-input-available')
    assert.deepEqual([input.toolName, input.input], ['kb_search', { query: 'Rust' }])
    const [answer] = turn.answers
    assert.equal(answer.ok, true)
    assert.equal(answer.meta.mode, 'text')
    const [first] = answer.data.results
    assert.ok(turn.text.includes(`${first.title} [${first.id}]`), turn.text)
    assert.equal(turn.parts.at(-1).type, 'finish')
  })

  test('what was called is counted for Prometheus', async () => {
    await new Browser(web.url).say('Who knows about Rust?')
    const answer = await fetch(`${web.url}/metrics`)
    assert.match(answer.headers.get('content-type'), /^application\/openmetrics-text; version=1\.0\.0/)
    assert.match(await answer.text(), /^toolgate_calls_total\{tool="kb_search",mode="text"\} [1-9]/m)
  })

  test('the model gets the system prompt, the tools of text mode, and full answers', async () => {
    await new Browser(web.url).say('Who knows about Rust?')
    const request = simulator.received.findLast(({ json }) => json?.messages?.some(({ role }) => role === 'tool')).json
    assert.match(request.messages[0].content, /# Available Tools \(v1\.0\.[0-9a-f]{8}\)/)
    const declared = request.tools.map(tool => tool.function.name)
    assert.ok(declared.includes('kb_search') && declared.includes('start_voice_session'))
    assert.ok(!declared.includes('end_voice_session'))
    const answer = JSON.parse(request.messages.find(({ role }) => role === 'tool').content)
    assert.deepEqual(Object.keys(answer).sort(), ['data', 'intents', 'meta', 'ok'])
  })

  test('an earlier answer comes back to the model with its call and its result', async () => {
    const browser = new Browser(web.url)
    const first = await browser.say('Who knows about Rust?')
    const [{ toolCallId, toolName, input }] = first.ofType('tool-input-available')
    const [output] = first.answers
    const called = { type: `tool-${toolName}`, toolCallId, state: 'output-available', input, output }
    const answer = {
      id: 'a1',
      role: 'assistant',
      parts: [{ type: 'step-start' }, called, { type: 'step-start' }, textPart(first.text)],
    }
    await browser.say('hello', { history: [userMessage('Who knows about Rust?', 'q1'), answer] })
    const [, ...sent] = simulator.received.at(-1).json.messages
    assert.deepEqual(
      sent.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant', 'user'],
    )
    assert.deepEqual(
      sent[1].tool_calls.map(({ id }) => id),
      [toolCallId],
    )
    assert.deepEqual(JSON.parse(sent[2].content), output)
    assert.equal(sent[3].content, first.text)
  })

  test('a tool of voice mode is refused with MODE_RESTRICTED', async () => {
    const { env } = await scenario({ name: 'end_voice_session', args: {} })
    const turn = await new Browser((await startWeb({ after: onEnd }, { env })).url).say('hang up')
    assert.equal(turn.answers.length, 1)
    assert.equal(turn.answers[0].error.type, 'MODE_RESTRICTED')
    assert.equal(turn.text, 'It failed: MODE_RESTRICTED')
  })

  test('arguments that are not JSON are a VALIDATION answer', async () => {
    const { env } = await scenario({ name: 'kb_search', rawArgs: '{"query": "Ru' })
    const turn = await new Browser((await startWeb({ after: onEnd }, { env })).url).say('search')
    assert.equal(turn.answers[0].error.type, 'VALIDATION')
    assert.equal(turn.text, 'It failed: VALIDATION')
  })

  test('a stray error of a handler is reported, and the server answers on', async t => {
    const { env } = await scenario({ name: 'throw_later', args: {} })
    const own = await startWeb({ after: onEnd }, { env: { ...env, TOOLGATE_ARTIFACT: await buildTestTools(t) } })
    const turns = await Promise.all([1, 2, 3].map(() => new Browser(own.url).say('throw')))
    assert.deepEqual(
      turns.map(({ answers }) => answers[0].data),
      ['fine', 'fine', 'fine'],
    )
    assert.match(own.log(), /a stray error/)
    assert.equal((await fetch(`${own.url}/api/healthz`)).status, 200)
  })

  test('each message is a turn of its own, and one that is sent again is not', async () => {
    const browser = new Browser(web.url)
    const turnOf = async id => (await browser.say('Who knows about Rust?', { id })).answers[0].meta.turn
    assert.deepEqual([await turnOf('first'), await turnOf('second'), await turnOf('second')], [1, 2, 2])
  })

  test('what a tool sends to the client is a part of the stream', async () => {
    const turn = await new Browser(web.url).say("let's talk about the onboarding")
    const [{ data }] = turn.ofType('data-tool-message')
    assert.deepEqual([data.type, data.pendingRequest], ['voice_session_start', 'the onboarding'])
  })

  test('a paused user is refused until the pause is over, on every page of the session', async () => {
    const browser = new Browser(web.url)
    const paused = await browser.say('shut up, you idiot')
    const [{ data }] = paused.ofType('data-tool-message')
    assert.equal(data.type, 'timeout')
    const refused = await browser.say('Who knows about Rust?')
    assert.equal(refused.status, 423)
    assert.deepEqual([refused.error.type, refused.error.timeoutUntil], ['USER_TIMEOUT', data.timeoutUntil])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await browser.confirm('x', 'approve')).status, 423)
    assert.equal((await new Browser(web.url).say('Who knows about Rust?')).status, 200)
  })

  test('a provider that fails is an error in the stream', async () => {
    const error = { status: 400, message: 'no such model' }
    const { env } = await simulate({ after: onEnd }, { rules: [{ when: 'always', steps: [{ emit: [{ error }] }] }] })
    const turn = await new Browser((await startWeb({ after: onEnd }, { env })).url).say('hello')
    assert.deepEqual(
      turn.ofType('error').map(({ errorText }) => errorText),
      ['the simulator answered with status 400'],
    )
  })

  test('without a provider the answer is 503 and says what to set', async () => {
    const { url } = await startWeb({ after: onEnd })
    const turn = await new Browser(url).say('hello')
    assert.equal(turn.status, 503)
    assert.match(turn.error.message, /OPENAI_API_KEY.*TOOLGATE_OPENAI_BASE_URL/)
    const health = await (await fetch(`${url}/api/healthz`)).json()
    assert.deepEqual([health.ok, health.details], [true, { provider: 'none' }])
    assert.match(await (await fetch(url)).text(), /No model is set up/)
  })

  test('the page says that the simulator is in use', async () => {
    const page = await fetch(web.url)
    assert.match(await page.text(), /Simulator in use/)
    assert.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  })

  const scenario = call => simulate({ after: onEnd }, callOnce(call))
})
