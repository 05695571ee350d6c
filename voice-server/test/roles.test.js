// The model of a user is declared the tools that the user's roles allow, on each of its connections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, on, say, startFixture } from './support/fixture.js'

const users = { boss: ['keeper'], clerk: [], other: ['porter'] }
const authenticate = ({ headers }) => ({ principal: headers.who, roles: users[headers.who] ?? [] })
const as = who => ({ headers: { who } })
const rules = [on('open it', [call('vault_read')], [say('Found.')])]

/** What the setup of each connection so far declared and said of the tool. */
const setups = sim =>
  sim.received
    .map(({ json }) => json?.setup ?? json?.session)
    .filter(setup => setup !== undefined)
    .map(setup => JSON.stringify(setup))
    .map(text => [
      text.includes('"name":"vault_read"'),
      text.includes('**vault_read**'),
      text.includes('"name":"note_save"'),
    ])

for (const provider of ['gemini', 'openai', 'gptLive']) {
  test(`${provider}: a tool with required roles is declared to who holds them, and to no other`, async t => {
    const { sim, start } = await startFixture(t, { provider, rules, handlers: {}, server: { authenticate } })
    for (const who of ['boss', 'clerk', 'other', 'boss', 'stranger']) await start({}, as(who))
    const [all, none] = [
      [true, true, true],
      [false, false, true],
    ]
    assert.deepEqual(setups(sim), [all, none, none, all, none])
  })

  test(`${provider}: the tools stay after the provider's connection is restored, and follow the roles of who returns`, async t => {
    const { sim, start, model } = await startFixture(t, { provider, rules, handlers: {}, server: { authenticate } })
    const client = await start({}, as('boss'))
    client.say('open it')
    assert.equal((await client.next('toolResult')).ok, true)
    await client.next('turnComplete')
    ;(await model()).disconnect({ code: 1011, reason: 'internal error' })
    await client.next(({ type, provider: state }) => type === 'state' && state === 'reconnected')
    const { sessionId, resumeToken } = client.started
    await client.close()
    users.boss = []
    t.after(() => (users.boss = ['keeper']))
    await start({ sessionId, resumeToken }, as('boss'))
    assert.deepEqual(
      setups(sim).map(([isDeclared]) => isDeclared),
      [true, true, false],
    )
  })
}
