// The pages of docs/next.md and docs/voice.md, from the packed packages, in one new app: built and started as its standalone output, and
// then in development, beside the voice server; used in a browser. next.test.mjs has the other versions and bundlers.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { startSimulator } from '../../simulator/src/index.js'
import { eventually } from '../support/gate.mjs'
import { filesOfPage } from '../support/page.mjs'
import { createProject, packPackage } from './project.mjs'
import { copyStandalone, freePort, startServer } from './servers.mjs'

const BROWSER = ['/usr/bin/chromium', '/usr/bin/google-chrome', process.env.TOOLGATE_CHROMIUM]
const hasBrowser = BROWSER.some(file => file && existsSync(file)) && existsSync('web/node_modules/playwright-core')
const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
const LAYOUT = `export default ({ children }: { children: React.ReactNode }) => <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>\n`
const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, moduleResolution: 'bundler', module: 'esnext', jsx: 'preserve', noEmit: true },
  include: ['**/*.ts', '**/*.tsx'],
  exclude: ['node_modules', 'tools'],
})
/** A write that has begun for a while before it is done. */
const TRANSFER = `import { appendFileSync } from 'node:fs'
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Transfer money to a person. Use it only when the user asks for it.',
  sideEffects: 'writes',
  confirmation: { preview: 'Transfer {amount} EUR to {to}' },
  parameters: z.object({
    to: z.string().max(50).describe('The name of the person.'),
    amount: z.number().min(1).max(500).describe('The amount in EUR.'),
  }),
  async execute({ args }) {
    appendFileSync('ledger.txt', args.to + '\\n')
    await new Promise(resolve => setTimeout(resolve, 2000))
    return success({ transferred: args.amount })
  },
})
`
const refund = { name: 'refund_order', args: { number: '{{match.number}}', amount: 40, email: 'ada@example.com' } }
const WORDS = [
  { if: { path: 'result.ok', equals: true }, emit: [{ say: '{{result.data.refunded}} EUR refunded.' }] },
  { if: { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'It waits.' }] },
  { emit: [{ say: 'Nothing was refunded.' }] },
]
const SCENARIO = {
  settings: { label: '', listenMs: 300 },
  audio: { transcripts: ['transfer it'] },
  rules: [
    { when: { user: { regex: 'refund (?<number>B-\\d)' } }, steps: [{ emit: [{ call: refund }] }, { choose: WORDS }] },
    {
      when: { user: { regex: 'count (?<text>.+)' } },
      steps: [
        { emit: [{ call: { name: 'count_words', args: { text: '{{match.text}}' } } }] },
        { emit: [{ say: '{{result.data.words}} words.' }] },
      ],
    },
    {
      when: { user: 'transfer it' },
      steps: [
        { emit: [{ call: { name: 'transfer_money', args: { to: 'Bob', amount: 30 } } }] },
        { emit: [{ say: 'Shall I?' }] },
      ],
    },
    // A decision that comes after further messages.
    { when: { results: 'refund_order' }, steps: [{ choose: WORDS }] },
    { when: 'always', steps: [{ emit: [{ say: 'You said {{user}}.' }] }] },
  ],
}

const endings = []
const context = { after: end => endings.unshift(end) }
let app

beforeAll(async () => {
  if (hasBrowser) app = await startApp()
}, 1_200_000)
afterAll(async () => {
  for (const end of endings) await end()
})

const temporary = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-recipes-'))
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

async function pack(...flags) {
  const packed = await packPackage(flags)
  context.after(() => packed.remove())
  return packed.tarball
}

/** The app of both pages, built, and its servers. */
async function startApp() {
  const { launchChromium } = await import('../../web/test/chromium.mjs')
  const { layWire } = await import('../../web/test/wire.mjs')
  const simulator = await startSimulator({ scenario: SCENARIO })
  context.after(() => simulator.close())
  const [port, voicePort] = [await freePort(), await freePort()]
  const wire = await layWire(context, `ws://127.0.0.1:${voicePort}/voice`)
  const tarball = await pack()
  const [{ project, next }, voice] = await Promise.all([makeNextApp(tarball, wire.url), makeVoiceServer(tarball)])
  const keys = {
    OPENAI_API_KEY: 'any',
    OPENAI_BASE_URL: `${simulator.url}/v1`,
    SESSIONS_FILE: path.join(await temporary(), 'chats.sqlite'),
  }
  const url = `http://127.0.0.1:${port}`
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' }
  const startNext = () =>
    startServer('server.js', { cwd: next, env: { ...env, ...keys, PORT: String(port), HOSTNAME: '127.0.0.1' }, url })
  const google = { GEMINI_API_KEY: 'any', GOOGLE_GEMINI_BASE_URL: simulator.url }
  const secret = { RESUME_SECRET: 'a secret of this program', ALLOWED_ORIGINS: url, PORT: String(voicePort) }
  const health = `http://127.0.0.1:${voicePort}/healthz`
  const talk = await startServer('server.mjs', { cwd: voice, env: { ...env, ...google, ...secret }, url: health })
  context.after(() => talk.stop())
  const chromium = await launchChromium(MICROPHONE)
  context.after(() => chromium.close())
  let server = await startNext()
  context.after(() => server.stop())
  const restart = async (start = startNext) => {
    await server.stop()
    server = await start()
  }
  const develop = () => {
    const dev = ['node_modules/next/dist/bin/next', 'dev', '--port', String(port), '--hostname', '127.0.0.1']
    const variables = { ...process.env, ...keys, NODE_OPTIONS: '', NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' }
    return restart(() => startServer(dev, { cwd: project.folder, env: variables, url }))
  }
  return { url, voice, wire, chromium, restart, develop }
}

/** The Next.js app, built, and the folder of its standalone output. */
async function makeNextApp(tarball, voiceUrl) {
  const files = filesOfPage('docs/next.md')
  delete files['app/api/tools/[tool]/route.ts']
  const project = await createProject({
    tarball,
    dependencies: {
      next: '16',
      react: '19',
      'react-dom': '19',
      zod: '4',
      'toolgate-react': `file:${await pack('-w', 'toolgate-react')}`,
      ai: '^6.0.202',
      '@ai-sdk/react': '^3.0.0',
      '@ai-sdk/openai': '^3.0.0',
    },
    manifest: { devDependencies: { typescript: '5', '@types/node': '20', '@types/react': '19' } },
    files: {
      ...files,
      'app/call/page.tsx': filesOfPage('docs/voice.md')['app/call/page.tsx'],
      'app/layout.tsx': LAYOUT,
      'tsconfig.json': TSCONFIG,
    },
  })
  context.after(() => project.remove())
  await project.run('npx', ['toolgate', 'init'])
  // After `init`, which writes the first tool only if there is none.
  const asking = 'tools/refund_order/tool.mjs'
  await project.write({ [asking]: filesOfPage('docs/confirmations.md')[asking] })
  await project.run('npx', ['toolgate', 'build'])
  await project.run('npx', ['next', 'build'], { env: { NEXT_PUBLIC_VOICE_URL: voiceUrl } })
  const folder = await temporary()
  await copyStandalone(project.folder, folder)
  return { project, next: folder }
}

/** The folder of the voice server's program. */
async function makeVoiceServer(tarball) {
  const { 'server.mjs': server, 'auth.mjs': auth } = filesOfPage('docs/voice.md')
  const files = { 'server.mjs': server, 'auth.mjs': auth, 'tools/transfer_money/tool.mjs': TRANSFER }
  const dependencies = { zod: '4', 'toolgate-voice-server': `file:${await pack('-w', 'toolgate-voice-server')}` }
  const project = await createProject({ tarball, dependencies, files })
  context.after(() => project.remove())
  await project.run('npx', ['toolgate', 'build'])
  return project.folder
}

/** Whether the page's controls are React's, in the browser. */
const isAlive = () =>
  Object.keys(document.querySelector('main input, main button') ?? {}).some(key => key.startsWith('__reactProps'))

/** A page of a user with cookies of their own. */
async function visit(address, cookies = []) {
  const browser = await app.chromium.newContext()
  context.after(() => browser.close())
  await browser.addCookies(cookies.map(cookie => ({ ...cookie, url: app.url })))
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const troubles = []
  page.on('console', message => message.type() === 'error' && troubles.push(message.text()))
  page.on('pageerror', error => troubles.push(error.message))
  await page.goto(app.url + address)
  await page.waitForFunction(isAlive)
  const sees = text => page.getByText(text, { exact: true }).last().waitFor()
  const card = page.getByRole('region', { name: /^Confirmation/ }).last()
  const press = name => card.getByRole('button', { name }).click()
  const say = async (text, answer) => {
    await page.getByLabel('Message').fill(text)
    await page.getByLabel('Message').press('Enter')
    if (answer) await sees(answer)
  }
  const waits = times =>
    page
      .getByText('It waits.', { exact: true })
      .nth(times - 1)
      .waitFor()
  const said = () => page.locator('main > section').allInnerTexts()
  const reload = async () => {
    await page.reload()
    await page.waitForFunction(isAlive)
  }
  return { page, reload, sees, waits, card, press, say, said, troubles }
}

const testInBrowser = hasBrowser ? test : test.skip

testInBrowser('a conversation: an edit, a denial, a reload, a restart, a late approval, and another user', async () => {
  const { reload, sees, waits, card, press, say, said, troubles } = await visit('/')
  await say('hello', 'You said hello.')
  await say('count one two three', '3 words.')
  await say('refund B-1', 'It waits.')
  await press('Edit')
  await card.getByLabel('amount').fill('25')
  await press('Approve')
  await sees('25 EUR refunded.')
  await say('refund B-2')
  await press('Deny')
  await sees('Nothing was refunded.')
  await reload()
  await sees('25 EUR refunded.')
  await say('refund B-3')
  await card.getByText('Refund 40 EUR for order B-3 to ada@example.com').waitFor()
  // The card comes before the answer's words have ended: what is sent meanwhile waits for them.
  await say('and now')
  await say('and then', 'You said and then.')
  await sees('You said and now.')
  await waits(3)
  await app.restart()
  await reload()
  await card.getByText('Refund 40 EUR for order B-3 to ada@example.com').waitFor()
  await say('still there', 'You said still there.')
  await press('Approve')
  await sees('40 EUR refunded.')
  await say('thank you', 'You said thank you.')
  const talk = await said()
  expect(talk.filter((_, at) => at % 2 === 0)).toEqual([
    'hello',
    'count one two three',
    ...['refund B-1', 'refund B-2', 'refund B-3'],
    ...['and now', 'and then', 'still there', 'thank you'],
  ])
  await reload()
  await sees('You said thank you.')
  expect(await said()).toEqual(talk)
  // Of the restart alone.
  expect(troubles.filter(trouble => !trouble.includes('ERR_CONNECTION_REFUSED'))).toEqual([])

  const other = await visit('/')
  await other.say('hi', 'You said hi.')
  expect(await other.said()).toEqual(['hi', 'You said hi.'])
  expect(await other.card.count()).toBe(0)
  expect(other.troubles).toEqual([])
})

testInBrowser(
  'a voice call whose connection is lost in a write: the write runs once, and the page shows what came of it',
  async () => {
    const ledger = () => readFile(path.join(app.voice, 'ledger.txt'), 'utf8').catch(() => '')
    const stranger = await visit('/call')
    await stranger.page.getByRole('button', { name: 'Talk' }).click()
    // With the chat's cookie beside the login's.
    const { page, press, card, sees, say } = await visit('/', [{ name: 'login', value: 'ada' }])
    await say('hi', 'You said hi.')
    await page.goto(`${app.url}/call`)
    await page.waitForFunction(isAlive)
    await page.getByRole('button', { name: 'Talk' }).click()
    await sees('transfer it')
    await card.getByText('Transfer 30 EUR to Bob').waitFor()
    await press('Approve')
    await eventually(async () => (await ledger()) !== '', 'the write has begun')
    app.wire.cut()
    await page.locator('[data-toolgate=voice][data-phase=waiting]').waitFor()
    app.wire.mend()
    await page.getByRole('button', { name: 'Try now' }).click()
    await card.getByText('Transferred').waitFor()
    expect(await ledger()).toBe('Bob\n')
    expect(await stranger.card.count()).toBe(0)
  },
)

testInBrowser('the same app in development: an edit, a denial, and a reload', async () => {
  await app.develop()
  const { reload, sees, waits, card, press, say, said, troubles } = await visit('/')
  await say('count one two three', '3 words.')
  await say('refund B-1', 'It waits.')
  await press('Edit')
  await card.getByLabel('amount').fill('25')
  await press('Approve')
  await sees('25 EUR refunded.')
  await say('refund B-2')
  await waits(2)
  await press('Deny')
  await sees('Nothing was refunded.')
  const talk = await said()
  await reload()
  await sees('Nothing was refunded.')
  expect(await said()).toEqual(talk)
  expect(troubles).toEqual([])
})
