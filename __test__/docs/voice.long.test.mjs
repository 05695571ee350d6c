// The voice server of docs/voice.md in a process of its own, with the simulator as each provider and a page of the test.
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildTools } from '../../index.js'
import { startSimulator } from '../../simulator/src/index.js'
import { VoiceClient, refusedStatus } from '../../voice-server/test/support/voice-client.js'
import { eventually } from '../support/gate.mjs'
import { filesOfPage, pageText } from '../support/page.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REFUND = `
import { appendFileSync } from 'node:fs'
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Refund an order to its customer. Use it only when the user asks for a refund.',
  sideEffects: 'writes',
  confirmation: { preview: 'Refund order {number}' },
  parameters: z.object({ number: z.string().max(20).describe('The number of the order.') }),
  execute({ args }) {
    appendFileSync('ledger.txt', args.number + '\\n')
    return success({ refunded: args.number })
  },
})
`
const refund = { call: { name: 'refund_order', args: { number: 'A-17' } } }
const RULES = [
  { when: { user: 'refund it' }, steps: [{ emit: [refund] }, { emit: [{ say: 'Shall I?' }] }] },
  { when: 'always', steps: [{ emit: [{ say: 'Yes?' }] }] },
]
const PROVIDER = /gemini: \{ apiKey: process\.env\.GEMINI_API_KEY \}/
const USER = { origin: 'https://app.example', headers: { cookie: 'login=ada' } }

/** The program, once it listens. */
async function startProgram(home, env) {
  const child = spawn(process.execPath, ['server.mjs'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (printed += text))
  const ended = new Promise(resolve => child.once('exit', resolve))
  afterTest(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await eventually(() => printed.includes('ws://'), 'the server listens')
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url: `${/ws:\/\/[^"\s]+/.exec(printed)[0]}/voice`, stop }
}

/** The project of the page, with the line of its provider. */
async function makeProject(provider) {
  const { home, tools, write } = project()
  symlinkSync(path.join(ROOT, 'voice-server'), path.join(home, 'node_modules/toolgate-voice-server'), 'dir')
  const files = filesOfPage('docs/voice.md')
  expect(Object.keys(files)).toEqual(['server.mjs', 'auth.mjs', 'app/call/page.tsx'])
  const [, openai] = /`(openai: \{ .*? \})`/.exec(pageText('docs/voice.md'))
  expect(files['server.mjs']).toMatch(PROVIDER)
  write('server.mjs', files['server.mjs'].replace(PROVIDER, provider === 'openai' ? openai : '$&'))
  write('auth.mjs', files['auth.mjs'])
  write('tools/refund_order/tool.js', REFUND)
  expect(await buildTools({ toolsDir: tools, outDir: tools })).toMatchObject({ ok: true, diagnostics: [] })
  const sim = await startSimulator({ scenario: { settings: { label: '' }, rules: RULES } })
  afterTest(() => sim.close())
  const keys = { GEMINI_API_KEY: 'any', OPENAI_API_KEY: 'any', RESUME_SECRET: 'a secret of this program' }
  const origins = { ALLOWED_ORIGINS: USER.origin }
  const urls = { GOOGLE_GEMINI_BASE_URL: sim.url, OPENAI_BASE_URL: `${sim.url}/v1` }
  return { home, env: { PATH: process.env.PATH, PORT: '0', ...keys, ...origins, ...urls } }
}

test.each(['gemini', 'openai'])(
  '%s: a question, a restart, and the answer of the page that returns',
  async provider => {
    const { home, env } = await makeProject(provider)
    const first = await startProgram(home, env)
    expect(await refusedStatus(first.url, { ...USER, origin: 'https://evil.example' })).toBe(403)
    expect(await refusedStatus(first.url, { origin: USER.origin })).toBe(401)
    const client = await VoiceClient.start(first.url, {}, USER)
    client.say('refund it')
    const { request } = await client.next('confirmation')
    expect(request.preview).toBe('Refund order A-17')
    await client.next('turnComplete')
    expect(await first.stop()).toBe(0)
    expect((await client.closed).code).toBe(1001)

    const second = await startProgram(home, env)
    const { sessionId, resumeToken } = client.started
    const again = await VoiceClient.start(second.url, { sessionId, resumeToken }, USER)
    expect(again.started.resumed).toBe(true)
    const { token } = (await again.next('confirmation')).request
    again.send({ type: 'confirm', token })
    again.send({ type: 'confirm', token })
    const closed = await again.next('confirmationClosed')
    expect([closed.token, closed.outcome]).toEqual([token, 'confirmed'])
    await again.next(({ type, ok }) => type === 'toolResult' && ok)
    expect(readFileSync(path.join(home, 'ledger.txt'), 'utf8')).toBe('A-17\n')
    await again.close()
  },
)
