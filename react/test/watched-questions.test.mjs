// A page that watches its questions: it follows a confirmed call to its end, also one whose process dies.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createRegistry } from 'toolgate'
import { createAgentRoutes } from 'toolgate/web'
import { followQuestions } from '../dist/chat/use-watched-questions.js'
import { noteTools } from './note-tools.mjs'

/** A gate on a file, the routes of a page over it, and a question that waits. */
async function asked(t, handler) {
  const artifact = await noteTools(t)
  const options = { artifact, store: { file: join(dirname(artifact), 'sessions.sqlite') } }
  const registry = await createRegistry({ ...options, handlers: { leave_note: handler } }).load()
  t.after(() => registry.close())
  const routes = createAgentRoutes(registry, {
    authenticate: () => ({ principal: 'ada' }),
    answer: () => assert.fail(),
  })
  const sessionId = await chatSession(routes)
  const attached = { sessionId, principal: 'ada', mode: 'text', exclusive: false }
  const session = await registry.createSession(attached)
  const { error } = await session.execute({ id: 'call_note_0001', name: 'leave_note', args: { text: 'x' } })
  const { token } = error.confirmation_request
  const server = createServer((request, response) => void answer(routes, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return {
    options,
    attached,
    session,
    token,
    address: { api: `http://127.0.0.1:${server.address().port}`, id: 'main' },
  }
}

/** Begins the user's chat. */
async function chatSession(routes) {
  const request = new Request('http://127.0.0.1/', { headers: { host: '127.0.0.1' } })
  const begun = await routes.respond(request, ({ withSession }) =>
    withSession(({ sessionId }) => Response.json({ sessionId }), { resumeOnly: false }),
  )
  return (await begun.json()).sessionId
}

async function answer(routes, request, response) {
  const { method, headers, url } = request
  const init = { method, headers, body: await new Response(request).text() }
  const answered = await routes.POST(new Request(`http://${headers.host}${url}`, init))
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
}

/** The outcomes that the page gets until the call has ended. `onRunning`: at the first one that says that it runs. */
async function seenOutcomes({ address, token }, onRunning) {
  const stop = new AbortController()
  const outcomes = []
  await followQuestions({ address, voice: null, tokens: [token] }, stop.signal, ({ closed }) => {
    const [{ outcome }] = closed
    if (outcome === 'running' && !outcomes.includes(outcome)) onRunning()
    outcomes.push(outcome)
    if (outcome !== 'running') stop.abort()
  })
  return [...new Set(outcomes)]
}

test('a page follows a confirmed call to its result', async t => {
  let finish
  const finished = new Promise(resolve => (finish = resolve))
  const page = await asked(t, () => finished)
  const confirming = page.session.confirm(page.token)
  assert.deepEqual(await seenOutcomes(page, () => finish({ ok: true, data: {} })), ['running', 'done'])
  assert.equal((await confirming).ok, true)
})

test('a page learns that the outcome of a call is lost whose process was killed', async t => {
  const page = await asked(t, () => assert.fail('it ran again'))
  const source = `
    import { createRegistry } from 'toolgate'
    const handlers = { leave_note: () => new Promise(resolve => setTimeout(resolve, 60_000)) }
    const registry = await createRegistry({ ...${JSON.stringify(page.options)}, handlers }).load()
    const session = await registry.createSession(${JSON.stringify(page.attached)})
    await session.confirm(${JSON.stringify(page.token)})
  `
  const flags = ['--input-type=module', '-e', source]
  const child = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: 'inherit' })
  t.after(() => child.kill('SIGKILL'))
  assert.deepEqual(await seenOutcomes(page, () => child.kill('SIGKILL')), ['running', 'unknown'])
})
