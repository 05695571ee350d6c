// `toolgate mcp --consent page` and `--consent link`: a client without elicitation, and a person at a page of this machine.
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { browser } from '../../scripts/system-programs.mjs'
import { launchChromium } from '../../web/test/chromium.mjs'
import { MAIN, startToolgate, toolgate } from '../support/command.mjs'
import { eventually } from '../support/gate.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { connected, posted } from './http-support.mjs'
import { connectClient, envelopeOf } from './support.mjs'

const ORDER = {
  kind: 'write',
  requiresConfirmation: true,
  confirmation: { preview: 'Order {what}, {count} of it', grantable: 'tool' },
  properties: {
    what: { type: 'string', minLength: 2, maxLength: 40 },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    urgent: { type: 'boolean' },
  },
  source: `import { appendFileSync } from 'node:fs'
export async function execute({ args }) {
  appendFileSync('ran.txt', JSON.stringify(args) + '\\n')
  return { ok: true, data: args }
}
`,
}
const TEA = { name: 'order', arguments: { what: 'tea', count: 2 } }
const ADDRESS = /by whoever has it: (http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/)\n/

async function built(tools = { order: ORDER }) {
  const made = project({ tools })
  const { code, stderr } = await toolgate(['build'], { cwd: made.home })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const runs = () => {
    try {
      return readFileSync(path.join(made.home, 'ran.txt'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    } catch {
      return []
    }
  }
  return { ...made, runs }
}

/** A client without elicitation, of the command on standard input and output, and the page. */
async function started(words, home) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...(words.includes('page') ? ['--no-open'] : []), ...words],
    cwd: home,
    stderr: 'pipe',
  })
  const told = { stderr: '' }
  transport.stderr.on('data', text => {
    told.stderr += text
  })
  const user = await connectClient(transport)
  const address = ADDRESS.exec(told.stderr)?.[1]
  return {
    ...user,
    told,
    page: address && pageAt(address),
    call: params => user.client.callTool(params).then(envelopeOf),
  }
}

const HTML = { accept: 'text/html' }

/** What a browser does at the page. */
function pageAt(address) {
  const list = async () => (await fetch(`${address}list`)).text()
  const open = async () => {
    let href
    await eventually(async () => {
      href = /<a href="([^"]+)"/.exec(await list())?.[1]
      return href !== undefined
    }, 'a question on the page')
    return new URL(href, address)
  }
  const { origin } = new URL(address)
  const send = (url, fields, headers) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers: { ...HTML, origin, ...headers } })
  return { address, list, open, send, show: async url => (await fetch(url, { headers: HTML })).text() }
}

/** Neither token nor key nor link: a model that has one could confirm. */
function expectNoSecret({ frames, sent, page }) {
  const text = JSON.stringify([frames, sent])
  expect(text).not.toMatch(/tgc_|"token"|confirmation=/)
  if (page) expect(text).not.toContain(new URL(page.address).pathname.split('/')[1])
}

describe('the page of a client on standard input and output', () => {
  test('a call waits, is changed on the page, and granted', async () => {
    const { home, runs } = await built()
    const user = await started(['--consent', 'page'], home)
    const { page } = user
    const answer = user.call(TEA)
    const question = await page.open()
    const shown = await page.show(question)
    expect(shown).toContain('Order tea, 2 of it')
    expect(shown).toContain('name="field.what"')
    const refused = await page.send(question, { decision: 'confirm', 'field.what': 'gin', 'field.count': '99' })
    expect([refused.status, runs()]).toEqual([400, []])
    const fields = { 'field.what': 'gin', 'field.count': '3', 'field.urgent': '', grant: 'tool' }
    const done = await page.send(question, { decision: 'confirm', ...fields })
    expect([done.status, done.headers.get('refresh')]).toEqual([200, '3; url=.'])
    const result = await answer
    expect(result).toMatchObject({ ok: true, data: { what: 'gin', count: 3 } })
    expect(result.meta.edited.map(({ path: place }) => place).toSorted()).toEqual(['/count', '/what'])
    expect(await page.list()).toContain('Nothing waits')
    expect((await user.call({ name: 'order', arguments: { what: 'rum', count: 1 } })).ok).toBe(true)
    expect(runs()).toEqual([
      { what: 'gin', count: 3 },
      { what: 'rum', count: 1 },
    ])
    expectNoSecret(user)
  })

  test('what is not touched on the page runs as it was asked', async () => {
    const { home, runs } = await built()
    const { page, call } = await started(['--consent', 'page'], home)
    const answer = call(TEA)
    const question = await page.open()
    await page.send(question, {
      decision: 'confirm',
      'field.what': 'tea',
      'field.count': '2',
      'field.urgent': '',
      grant: '',
    })
    const { ok, meta } = await answer
    expect([ok, meta?.edited, runs()]).toEqual([true, undefined, [TEA.arguments]])
  })

  test('a denial is the answer, and a late one is that of the same call', async () => {
    const { home, runs } = await built()
    const user = await started(['--consent', 'page', '--consent-wait', '0'], home)
    const { page, call } = user
    const pending = await call(TEA)
    expect(pending.error).toMatchObject({ type: 'CONFIRMATION_REQUIRED', retryable: true })
    expect(pending.error.suggestion).toContain("Toolgate's page of confirmations")
    await page.send(await page.open(), { decision: 'deny' })
    expect((await call(TEA)).error.details).toEqual({ outcome: 'declined' })
    await call(TEA)
    await page.send(await page.open(), { decision: 'confirm' })
    expect(await call(TEA)).toMatchObject({ ok: true, data: TEA.arguments })
    expect(runs()).toEqual([TEA.arguments])
    expectNoSecret(user)
  })

  test('strangers get nothing from it', async () => {
    const { home, runs } = await built()
    const user = await started(['--consent', 'page', '--consent-wait', '0'], home)
    await user.call({ name: 'order', arguments: { what: '<img src=x>', count: 1 } })
    const { page } = user
    const question = await page.open()
    expect(await page.list()).toContain('Order &lt;img src=x&gt;, 1 of it')
    const { origin, port } = new URL(page.address)
    const link = question.search
    const paths = ['/', '/list', `/confirm${link}`, `/${'a'.repeat(43)}/`, `/${'a'.repeat(43)}/confirm${link}`]
    for (const place of paths) expect([place, (await fetch(origin + place)).status]).toEqual([place, 404])
    const own = question.pathname + link
    const asking = headers => posted(origin + own, headers, { method: 'GET' })
    expect((await asking({ host: `evil.example:${port}` })).status).toBe(403)
    expect((await asking({ host: `127.0.0.1:${port}` })).status).toBe(200)
    const confirm = { decision: 'confirm' }
    for (const from of ['https://evil.example', 'http://localhost:3000', 'null'])
      expect([from, (await page.send(question, confirm, { origin: from })).status]).toEqual([from, 403])
    const { address } = page
    expect((await page.send(new URL('confirm', address), confirm)).status).toBe(403)
    expect((await page.send(address, confirm)).status).toBe(405)
    expect((await fetch(question, { method: 'PUT' })).status).toBe(405)
    expect(runs()).toEqual([])
    const { headers } = await fetch(address)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(user.told.stderr.split(address).length).toBe(2)
  })
})

test('it is opened in the browser, whose arguments do not show the key', async () => {
  if (process.platform !== 'linux') return
  const { home, write } = await built()
  // Another user of the machine sees what a program is started with.
  write('bin/xdg-open', '#!/bin/sh\nprintf %s "$1" > opened.part && mv opened.part opened.txt\n')
  chmodSync(path.join(home, 'bin/xdg-open'), 0o755)
  const env = { DISPLAY: ':9', PATH: `${path.join(home, 'bin')}:${process.env.PATH}` }
  const child = startToolgate(['mcp', '--http', '--port', '0', '--consent', 'page'], { cwd: home, env })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    told += text
  })
  await eventually(() => existsSync(path.join(home, 'opened.txt')), 'it is opened')
  const file = fileURLToPath(readFileSync(path.join(home, 'opened.txt'), 'utf8'))
  const [, address] = ADDRESS.exec(told)
  expect([readFileSync(file, 'utf8').includes(address), file.includes(new URL(address).pathname)]).toEqual([
    true,
    false,
  ])
  expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  child.kill()
  await once(child, 'exit')
  expect(existsSync(file)).toBe(false)
})

test('a browser shows a new question without a reload, and answers it', async () => {
  if (!browser() && !process.env.CI) return
  const { home, runs } = await built()
  const { page, call } = await started(['--consent', 'page'], home)
  const chromium = await launchChromium()
  afterTest(() => chromium.close())
  const tab = await chromium.newPage({ viewport: { width: 700, height: 600 } })
  const problems = []
  tab.on('console', said => problems.push(said.text()))
  await tab.goto(page.address)
  await tab.getByText('Nothing waits').waitFor()
  const answer = call(TEA)
  const shots = process.env.TOOLGATE_SHOTS
  await tab.getByRole('link', { name: 'order' }).waitFor()
  if (shots) await tab.screenshot({ path: path.join(shots, 'list.png') })
  await tab.getByRole('link', { name: 'order' }).click()
  await tab.getByLabel('what').fill('gin')
  if (shots) await tab.screenshot({ path: path.join(shots, 'question.png') })
  await tab.getByRole('button', { name: 'Confirm' }).click()
  await tab.getByRole('heading', { name: 'Confirmed' }).waitFor()
  expect((await answer).meta.edited).toEqual([{ path: '/what', value: 'gin' }])
  await tab.getByText('Nothing waits').waitFor()
  expect([runs(), problems]).toEqual([[{ what: 'gin', count: 2 }], []])
})

/** The command over HTTP. */
async function overHttp(words, home) {
  const child = startToolgate(['mcp', '--http', '--port', '0', ...words], { cwd: home })
  afterTest(() => child.kill())
  const told = { stderr: '' }
  child.stderr.setEncoding('utf8').on('data', text => {
    told.stderr += text
  })
  const url = () => /at (http:\S+\/mcp)\n/.exec(told.stderr)?.[1]
  await eventually(() => url() !== undefined, 'it serves')
  return { url: url(), told }
}

test('over HTTP each principal waits for the page, and what they confirm runs with their roles', async () => {
  const made = await built({ order: { ...ORDER, requiredRoles: ['staff'] } })
  made.write('who.mjs', "export const authenticate = () => ({ principal: 'ada', roles: ['staff'] })\n")
  const { url, told } = await overHttp(['--consent', 'page', '--no-open', '--authenticate', 'who.mjs'], made.home)
  const user = await connected(url)
  const answer = user.client.callTool(TEA).then(envelopeOf)
  const page = pageAt(ADDRESS.exec(told.stderr)[1])
  const question = await page.open()
  expect(await page.list()).toContain('for ada')
  await page.send(question, { decision: 'confirm' })
  expect(await answer).toMatchObject({ ok: true, data: TEA.arguments })
  expectNoSecret({ ...user, page })
})

test('a link behind a proxy is answered by an approver', async () => {
  const confirmation = { approvers: { roles: ['manager'], count: 1 } }
  const made = await built({ order: { ...ORDER, confirmation } })
  made.write('who.mjs', "export const authenticate = () => ({ principal: 'ada' })\n")
  made.write(
    'send.mjs',
    `import { appendFileSync } from 'node:fs'
export default (event, link) => appendFileSync('sent.txt', link + '\\n')
export const approver = (confirmation, { headers }) => headers.get('x-user') && { principal: headers.get('x-user'), roles: ['manager'] }
`,
  )
  const words = ['--consent', 'link', '--confirmations-to', 'send.mjs', '--link-base', 'https://tools.example/yes']
  const { url, told } = await overHttp([...words, '--authenticate', 'who.mjs'], made.home)
  const user = await connected(url)
  const answer = user.client.callTool(TEA).then(envelopeOf)
  const sent = path.join(made.home, 'sent.txt')
  const isSent = () => existsSync(sent) && readFileSync(sent, 'utf8').endsWith('\n')
  await eventually(isSent, 'the link is sent')
  const link = new URL(readFileSync(sent, 'utf8').trim())
  expect(link.href).toContain('https://tools.example/yes?confirmation=')
  const local = /links to confirmations are answered at (\S+)\n/.exec(told.stderr)[1] + link.search
  const decide = headers => posted(local, headers, { body: { decision: 'confirm' } })
  const proxied = { host: 'tools.example', origin: 'https://tools.example' }
  const refused = [proxied, { ...proxied, 'x-user': 'ada' }, { ...proxied, host: 'evil.example', 'x-user': 'eve' }]
  for (const headers of refused) expect([401, 403]).toContain((await decide(headers)).status)
  expect(made.runs()).toEqual([])
  expect((await decide({ ...proxied, 'x-user': 'eve' })).status).toBe(200)
  expect(await answer).toMatchObject({ ok: true, data: TEA.arguments })
})

test('by a link that a module sends', async () => {
  const made = await built()
  made.write(
    'send.mjs',
    `import { appendFileSync } from 'node:fs'
export default async ({ type, preview }, link) => appendFileSync('sent.txt', JSON.stringify({ type, preview, link }) + '\\n')
`,
  )
  const user = await started(['--consent', 'link', '--confirmations-to', 'send.mjs'], made.home)
  expect(user.page).toBeUndefined()
  const answer = user.call(TEA)
  const sent = () =>
    readFileSync(path.join(made.home, 'sent.txt'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  await eventually(() => {
    try {
      return sent().length === 1
    } catch {
      return false
    }
  }, 'the link is sent')
  const [{ link, preview }] = sent()
  expect(preview).toBe('Order tea, 2 of it')
  expect((await fetch(new URL('/', link))).status).toBe(404)
  const body = new URLSearchParams({ decision: 'confirm' })
  expect(await (await fetch(link, { method: 'POST', body })).json()).toEqual({ state: 'confirmed', ok: true })
  expect((await answer).ok).toBe(true)
  await eventually(() => sent().length === 2, 'the module hears of the answer')
  expect(sent()[1]).toEqual({ type: 'confirmed', preview: 'Order tea, 2 of it', link: null })
  expectNoSecret(user)
})

test('its sessions are in the store that is named', async () => {
  const { home } = await built()
  await overHttp(['--store', 'sessions.sqlite'], home)
  expect(existsSync(path.join(home, 'sessions.sqlite'))).toBe(true)
})

test.each([
  [['--consent', 'letter'], 'is not known'],
  [['--consent', 'link'], 'needs `--confirmations-to <file>`'],
  [['--consent-wait', '5'], '`--consent-wait` needs'],
  [['--store', 'mysql://ada:key@127.0.0.1/d'], 'a store is the path of a file'],
  [['--confirmations-to', 'a.mjs', '--consent', 'page'], '`--confirmations-to` needs'],
  [['--consent', 'link', '--confirmations-to', 'a.mjs', '--link-base', 'somewhere'], '`--link-base` is not a URL'],
])('%j is wrong usage', async (words, message) => {
  const { code, stderr } = await toolgate(['mcp', ...words], { cwd: project().home })
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
