// docs/days.md: its server asks by mail, is restarted, and the link of the mail runs the call once; then the store is copied and
// the user erased.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'

import { buildTools } from '../../index.js'
import { runNode } from '../support/command.mjs'
import { blockWith, filesOfPage, printedIn } from '../support/page.mjs'
import { project } from '../support/project.mjs'

const PAGE = 'docs/days.md'
const started = []

afterEach(() => started.splice(0).forEach(one => (one.kill ? one.kill('SIGKILL') : one.close())))

async function listen(handle) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  started.push(server)
  await once(server, 'listening')
  return server.address().port
}

async function freePort() {
  const port = await listen()
  started.pop().close()
  return port
}

/** Starts the server of the page; resolves when it listens. */
async function start(home, env) {
  const child = spawn(process.execPath, ['server.mjs'], { cwd: home, env: { ...process.env, ...env } })
  started.push(child)
  let errors = ''
  child.stderr.on('data', text => (errors += text))
  const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  expect([String(first).trim(), errors]).toEqual(['ready', ''])
  return child
}

test('an approval by mail, with a restart before its answer; a backup; an erasure', async () => {
  const { home, tools, write } = project()
  for (const [name, text] of Object.entries(filesOfPage(PAGE))) write(name, text)
  const { ok, diagnostics } = await buildTools({ toolsDir: tools, outDir: tools })
  expect({ ok, diagnostics }).toEqual({ ok: true, diagnostics: [] })

  let received
  const mailed = new Promise(resolve => (received = resolve))
  const mailPort = await listen(async (request, response) => {
    const chunks = await request.toArray()
    received(JSON.parse(Buffer.concat(chunks).toString()))
    response.end()
  })
  const port = await freePort()
  const env = { PORT: String(port), MAIL_URL: `http://127.0.0.1:${mailPort}/` }
  const json = async route => (await fetch(`http://127.0.0.1:${port}${route}`)).json()

  const first = await start(home, env)
  expect(await json('/ask')).toEqual({ asked: 'CONFIRMATION_REQUIRED' })
  const { to, subject, text } = await mailed
  expect([to, subject]).toEqual(['ada@example.com', 'Refund 40 EUR for order A-17'])
  first.kill('SIGKILL')
  await once(first, 'exit')

  const second = await start(home, env)
  const [link] = /http\S+/.exec(text)
  expect(await (await fetch(link, { headers: { accept: 'text/html' } })).text()).toContain(
    'Refund 40 EUR for order A-17',
  )
  expect(await json('/outcome')).toEqual({ status: 'pending' })
  const confirm = () => fetch(link, { method: 'POST', body: new URLSearchParams({ decision: 'confirm' }) })
  expect([(await confirm()).status, (await confirm()).status]).toEqual([200, 410])
  expect(await json('/outcome')).toEqual({ status: 'answered', data: { refunded: 40 } })
  second.kill('SIGKILL')
  await once(second, 'exit')

  for (const words of ['backupStore(', 'eraseSessions(']) {
    const program = blockWith(PAGE, words)
    write('after.mjs', program)
    const ran = await runNode([path.join(home, 'after.mjs')], { cwd: home })
    expect(ran).toEqual({ code: 0, signal: null, stdout: `${printedIn(program).join('\n')}\n`, stderr: '' })
  }
})
