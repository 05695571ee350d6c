// A session that is in voice and in text at once, as older servers attach both: the text side must know of the voice side.
import { shippedTools, createRegistry } from '../../index.js'

const client = () => ({
  readyState: 1,
  sent: [],
  send(text) {
    this.sent.push(JSON.parse(text))
  },
})
let registry
beforeEach(async () => {
  registry = await createRegistry({ artifact: shippedTools, onLog: () => {} }).load()
})
afterEach(() => registry.close())

const START = { name: 'start_voice_session', args: {} }
const attach = (mode, more) => registry.createSession({ sessionId: 'visit-1', mode, ...more })

test('a text attachment starts no second voice session while a voice attachment runs', async () => {
  const [ws, text, voice] = [client(), await attach('text', {}), await attach('voice')]
  const asked = async () => {
    const session = await attach('text', { exclusive: false, ws })
    await session.beginTurn()
    return session.execute(START)
  }
  expect(await asked()).toMatchObject({ ok: false, error: { type: 'SESSION_ACTIVE' } })
  expect(ws.sent).toEqual([])
  const other = await registry.createSession({ sessionId: 'visit-2', mode: 'text', ws })
  expect((await other.execute(START)).ok).toBe(true)

  await voice.detach()
  expect((await asked()).ok).toBe(true)
  await text.detach()
})

test('one of two voice attachments leaves: the session is still in voice', async () => {
  const voices = [await attach('voice'), await attach('voice', { exclusive: false })]
  await voices[0].detach()
  const text = await attach('text', { ws: client() })
  expect(await text.execute(START)).toMatchObject({ error: { type: 'SESSION_ACTIVE' } })
})

test('`executeTool` with the provider’s session, or with the id of a session in voice', async () => {
  const call = context => registry.executeTool('start_voice_session', { args: {}, ws: client(), ...context })
  expect((await call({ session: {} })).ok).toBe(true)
  expect(await call({ session: {}, geminiSession: {} })).toMatchObject({ error: { type: 'SESSION_ACTIVE' } })
  await attach('voice')
  expect(await call({ session: { sessionId: 'visit-1' } })).toMatchObject({ error: { type: 'SESSION_ACTIVE' } })
})

test('a text agent without a client: `ignore_user` and `start_voice_session` succeed', async () => {
  const ignored = await registry.executeTool('ignore_user', {
    args: { duration_seconds: 60, farewell_message: 'Until later.' },
    session: {},
  })
  expect(ignored).toMatchObject({ ok: true, data: { farewellDelivered: false }, meta: { warnings: ['no_client'] } })
  const started = await registry.executeTool('start_voice_session', { args: {}, session: {} })
  expect(started).toMatchObject({ ok: true, meta: { warnings: ['no_client'] } })
})
