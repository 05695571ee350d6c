// Questions of a server: its user answers them as a confirmation of the call, and the server gets the answer.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import { eventually, gateway } from '../support/gate.mjs'
import { ERAS, fill, gate, named, projectOf, shown } from './asking.mjs'
import { build, lockedProject } from './locked.mjs'

const CLI = fileURLToPath(new URL('../../js/cli/main.js', import.meta.url))
const { CallQuestions } = createRequire(import.meta.url)('../../js/sources/call-questions.js')

describe.each(ERAS)('a server of the generation %s', era => {
  test('gets the answer of its user', async () => {
    const { ask, asked, effects } = await gate(era, { answer: fill({ [named(era, 'who')]: { name: 'Ada', more: 1 } }) })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'accept', content: { name: 'Ada' } })])
    expect(asked).toMatchObject([{ tool: 'server_question', preview: 'shop asks: Who are you?' }])
    expect(effects()).toBe(1)
  })

  test('gets what its user declines', async () => {
    const { ask } = await gate(era, { answer: ({ token }, session) => session.deny(token, 'declined') })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'decline' })])
  })

  test('gets a cancellation once the question has expired', async () => {
    const project = await projectOf(era)
    const artifact = readFileSync(project.artifact, 'utf8')
    writeFileSync(project.artifact, artifact.replace(/("toolId":"server_question".*"ttlMs":)300000/, '$1   300'))
    const { ask, asked } = await gate(era, { project })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'cancel' })])
    expect(asked.length).toBe(1)
  })

  test('is declined by a session that can ask nobody', async () => {
    const { ask, asked } = await gate(era, { session: { canAsk: false } })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'decline' })])
    expect(asked).toEqual([])
  })

  test('asks again after an answer that does not fit, three times', async () => {
    const refused = []
    const answer = async (question, session) =>
      refused.push((await fill({ [named(era, 'who')]: { name: 'A' } })(question, session)).data)
    const { ask, asked } = await gate(era, { answer })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'cancel' })])
    expect(asked.length).toBe(3)
    expect(asked[1].preview).toMatch(/^shop asks: \(Your answer can't be used: .*name.*\) Who are you\?$/)
    expect(refused[0]).toEqual({ unfit: expect.stringContaining('name') })
  })

  test('gets a good answer after one that did not fit', async () => {
    const tries = ['', 'Grace']
    const answer = (question, session) => fill({ [named(era, 'who')]: { name: tries.shift() } })(question, session)
    const { ask } = await gate(era, { answer })
    expect(await ask(['who'])).toEqual([shown(era, 'who', { action: 'accept', content: { name: 'Grace' } })])
  })

  test.each([
    ['secret', /apiKey.*secret/],
    ['titled', /value.*secret/],
    ['wide', /20 fields/],
    ['long', /4000 characters/],
    // The SDK's server refuses to push the others.
    ...(era === 'modern'
      ? [
          ['nested', /inner/],
          ['page', /no fields/],
        ]
      : []),
  ])('has its question `%s` declined, and the log says why', async (question, reason) => {
    const { ask, asked, logs } = await gate(era)
    expect(await ask([question])).toEqual([shown(era, question, { action: 'decline' })])
    expect(asked).toEqual([])
    expect(logs.some(line => reason.test(line))).toBe(true)
  })

  test('shows hidden characters as escapes', async () => {
    const { ask, asked } = await gate(era, { answer: fill({ [named(era, 'hidden')]: { name: 'Ada' } }) })
    await ask(['hidden'])
    expect(asked[0].preview).toBe('shop asks: Send to \\u202emoc.live\\u202c? Now')
    const { requestedSchema } = asked[0].args.requests[named(era, 'hidden')]
    expect(requestedSchema.properties.name.title).toBe('Na\\u200bme')
  })

  test('asks the same twice, and is answered twice', async () => {
    const names = ['Ada', 'Grace']
    const answer = (question, session) => fill({ [named(era, 'who')]: { name: names.shift() } })(question, session)
    const { ask } = await gate(era, { answer })
    const got = await ask(['who', 'who'])
    expect(JSON.stringify(got)).toMatch(/Ada.*Grace/)
  })

  test('does not run into the deadline of the call while its user is asked', async () => {
    const late = async (question, session) => {
      await new Promise(resolve => setTimeout(resolve, 3500))
      return fill({ [named(era, 'who')]: { name: 'Ada' } })(question, session)
    }
    const { ask } = await gate(era, { answer: late, project: await projectOf(era, { timeoutMs: 3000 }) })
    expect(await ask(['who'])).toMatchObject([shown(era, 'who', { action: 'accept' })])
  })

  test('is not offered answers where its source declines, and the tool set has no question', async () => {
    const { ask, asked, registry } = await gate(era, { fields: { elicitation: 'decline' } })
    expect(registry.getToolMetadata('server_question')).toBeNull()
    expect(await ask(['who'])).toMatchObject({ message: expect.stringMatching(/elicitation|not found/) })
    expect(asked).toEqual([])
  })
})

test('one question has all requests of a round', async () => {
  const content = { who: { name: 'Ada' }, order: { count: 2, size: 'm' } }
  const { ask, asked } = await gate('modern', { answer: fill(content) })
  expect(await ask(['who+order+secret'])).toEqual([
    {
      who: { action: 'accept', content: content.who },
      order: { action: 'accept', content: content.order },
      secret: { action: 'decline' },
    },
  ])
  expect(asked.length).toBe(1)
  expect(asked[0].preview).toBe('shop asks: Who are you? How many?')
})

test('a server that asks without end is answered no more', async () => {
  const { ask, effects } = await gate('modern')
  const error = await ask(Array.from({ length: 9 }, () => 'secret'))
  expect(error).toMatchObject({ type: 'PERMANENT', retryable: false, message: expect.stringContaining('8 times') })
  expect(effects()).toBe(0)
})

test('requests that are too much together are declined together', async () => {
  const { ask, asked } = await gate('modern')
  const declined = { action: 'decline' }
  expect(await ask(['half+other'])).toEqual([{ half: declined, other: declined }])
  expect(asked).toEqual([])
})

test.each(['sampling/createMessage', 'roots/list'])(
  'a request for what is not offered (%s) fails the call',
  async method => {
    const context = { meta: { idempotencyKey: 'k' }, callTool: () => expect.unreachable() }
    const parts = { source: 'shop', asks: true, offers: {}, writes: true, context, warn: () => {} }
    const questions = new CallQuestions(parts)
    await expect(questions.round({ inputRequests: { it: { method, params: {} } } })).rejects.toMatchObject({
      type: 'PERMANENT',
      retryable: false,
      partialSideEffects: true,
    })
  },
)

test('a request that is only put off is sent again with its state', async () => {
  const questions = new CallQuestions({ source: 'shop', asks: true, writes: false, warn: () => {} })
  expect(await questions.round({ requestState: 'later' })).toEqual({ requestState: 'later' })
})

test('a pushed question of two calls in flight is declined', async () => {
  const second = gateway()
  const { ask, asked, logs } = await gate('legacy', {
    answer: async (question, session) => {
      await second.passed
      return fill({ pushed: { name: 'Ada' } })(question, session)
    },
  })
  const first = ask(['who'])
  await eventually(() => asked.length === 1, 'the question')
  expect(await ask(['who'])).toEqual([{ action: 'decline' }])
  second.open()
  expect(await first).toMatchObject([{ action: 'accept' }])
  expect(logs.some(line => line.includes('no single call'))).toBe(true)
})

test('no model sees, finds or calls the tool that asks', async () => {
  const { registry, session, project } = await gate('modern')
  const call = await session.execute({ id: 'direct-call-1', name: 'server_question', args: {} })
  const unknown = await session.execute({ id: 'direct-call-2', name: 'server_questions', args: {} })
  for (const { error } of [call, unknown]) {
    expect(error).toMatchObject({ type: 'NOT_FOUND' })
    expect(error.suggestion ?? '').not.toContain('server_question')
  }
  expect([...registry.tools.keys()]).toEqual(['shop_ask'])
  const command = ['list', '--artifact', project.artifact]
  const listed = spawnSync(process.execPath, [CLI, ...command], { encoding: 'utf8' }).stdout
  expect([listed.includes('shop_ask'), listed.includes('server_question')]).toEqual([true, false])
  expect(JSON.stringify(registry.getProviderSchemas('openai'))).not.toContain('server_question')
  expect(session.search?.('question server') ?? []).toEqual([])
})

test('a tool of the same id is an error of the build', async () => {
  const definitions = [{ name: 'question', inputSchema: { type: 'object' } }]
  const project = lockedProject({ server: { definitions } })
  const report = await build(project)
  expect(report.ok).toBe(false)
  expect(report.diagnostics.map(({ code }) => code)).toContain('duplicate-tool-id')
  const declines = lockedProject({ server: { definitions, elicitation: 'decline' } })
  expect((await build(declines)).ok).toBe(true)
})
