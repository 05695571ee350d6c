// Cards that others decide about, several cards at once, and grants: in a browser, over a store that another process shares.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createRegistry, storeFromSetting } from 'toolgate'
import { findings } from './axe.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const AUTHENTICATE = `
export function authenticate({ headers }) {
  const [, user] = /(?:^|; )login=([^;]+)/.exec(headers.cookie ?? '') ?? []
  return user ? { principal: user } : null
}
`
const on = (word, ...steps) => ({
  when: { user: { contains: word } },
  steps: steps.map(step => (Array.isArray(step) ? { emit: step } : step)),
})
const ASKS = { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }
/** What the model says of a question, and of what was decided. */
const says = words => ({ choose: [{ if: ASKS, emit: [{ say: words }] }, { emit: [{ say: 'Noted.' }] }] })
const slip = text => ({ call: { name: 'file_slip', args: { text } } })
const bill = payee => ({ call: { name: 'pay_bill', args: { payee, amount: 480 } } })
const SCRIPT = {
  settings: { label: '', listenMs: 60_000 },
  rules: [
    on('The user', [{ say: 'I see.' }]),
    on('bill', [bill('Printer')], says('Others decide.')),
    on('three', [slip('one'), slip('jam'), slip('two')], says('Three questions.')),
    on(
      'many',
      Array.from({ length: 9 }, (_, at) => slip(`note ${at}`)),
      says('Nine questions.'),
    ),
    on('mixed', [slip('mine'), bill('Baker'), slip('mine too')], says('Three questions.')),
    on('file apples', [slip('apples')], says('Filed? no')),
    on('file pears', [slip('pears')], [{ say: 'Filed? {{result.ok|no}}' }]),
  ],
}
const DESK = { width: 1100, height: 1400 }

describe('confirmations in the page', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web, registry, notesFile] = []
  let users = 0
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-confirmations-'))
    context.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
    await writeFile(join(folder, 'authenticate.mjs'), AUTHENTICATE)
    notesFile = join(folder, 'notes.log')
    process.env.TOOLGATE_TEST_NOTES = notesFile
    const { simulator, env } = await simulate(context, SCRIPT)
    const artifact = await buildTestTools(context)
    const store = join(folder, 'sessions.sqlite')
    const shared = {
      TOOLGATE_ARTIFACT: artifact,
      TOOLGATE_AUTHENTICATE: join(folder, 'authenticate.mjs'),
      TOOLGATE_STORE: store,
      TOOLGATE_TEST_NOTES: notesFile,
    }
    const voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    web = await startWeb(context, { env: { ...env, ...shared, TOOLGATE_VOICE_URL: voice.url } })
    registry = await createRegistry({ artifact, store: storeFromSetting(store), audit: 'none' }).load()
    context.after(() => registry.close())
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** A user who is signed in, and the requests that answer cards. */
  async function signedIn(t, viewport = DESK, settings = {}) {
    // A chat is its user's, in each browser: each visit is one of another user.
    const cookies = [{ name: 'login', value: `user-${(users += 1)}`, domain: '127.0.0.1', path: '/', expires: -1 }]
    const complete = { httpOnly: true, secure: false, sameSite: 'Lax' }
    const storageState = { cookies: cookies.map(cookie => ({ ...cookie, ...complete })), origins: [] }
    const visitor = await visit(t, chromium, web.url, { viewport, storageState, ...settings })
    const sent = []
    visitor.page.on('request', request => {
      if (request.method() === 'POST' && request.url().endsWith('/api/confirmations')) sent.push(request.postDataJSON())
    })
    return { ...visitor, sent }
  }

  /** The id of a user's first chat, which no page knows. */
  const chatOf = async principal =>
    createHmac('sha256', await registry.keyOf('chat'))
      .update(JSON.stringify(['user', principal, 'main']))
      .digest('base64url')

  /** The session of a browser, as an approver's page opens it. */
  async function sessionOf(t, { context: browser, page }) {
    const call = await page.evaluate(() => JSON.parse(localStorage.getItem('toolgate.voice')))
    const { value: principal } = (await browser.cookies()).find(({ name }) => name === 'login')
    const sessionId = call?.sessionId ?? (await chatOf(principal))
    const attached = { sessionId, resumeToken: call?.resumeToken, principal, mode: 'text' }
    const session = await registry.createSession(attached)
    t.after(() => session.detach())
    const [{ token }] = await session.listPending()
    const by = principal => ({ approver: { principal, roles: ['manager'] }, via: 'page' })
    return {
      confirm: principal => session.confirm(token, by(principal)),
      deny: principal => session.deny(token, undefined, by(principal)),
    }
  }

  const linesOf = async text =>
    (await readFile(notesFile, 'utf8').catch(() => '')).split('\n').filter(line => line.endsWith(text))
  const startCall = async ({ press, page }) => {
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
  }
  const line = (page, outcome) => page.locator(`[data-tool="pay_bill"][data-outcome="${outcome}"]`)

  for (const way of ['text chat', 'voice call']) {
    test(`in a ${way}, the card of what others decide says who, counts them, and shows the outcome`, async t => {
      const visitor = await signedIn(t)
      const { page, ask, card, sees, sent, faults } = visitor
      if (way === 'voice call') await startCall(visitor)
      await ask('the bill')
      await sees('Pay 480 EUR to Printer', card)
      await sees(/2 other people, each with the role manager or cfo\. 0 of 2 have confirmed/, card)
      assert.deepEqual(await card.getByRole('button').allInnerTexts(), ['Withdraw'])
      const before = (await linesOf('paid Printer')).length
      const others = await sessionOf(t, visitor)
      assert.equal((await others.confirm('cyd')).error.type, 'CONFIRMATION_REQUIRED')
      await sees(/1 of 2 has confirmed/, card)
      assert.equal((await others.confirm('eve')).ok, true)
      await card.getByText('Approved', { exact: true }).waitFor()
      await card.getByText(/^Done/).waitFor()
      assert.equal(await card.getByRole('button').count(), 0)
      await line(page, 'ok').waitFor()
      assert.equal((await linesOf('paid Printer')).length, before + 1)
      assert.deepEqual([sent, faults], [[], []])
    })

    test(`in a ${way}, who asks can withdraw it`, async t => {
      const visitor = await signedIn(t)
      const { ask, card, press, sees, page } = visitor
      if (way === 'voice call') await startCall(visitor)
      await ask('the bill')
      const others = await sessionOf(t, (await sees('Pay 480 EUR to Printer', card), visitor))
      await press('Withdraw', card)
      await sees('Withdrawn', card)
      await line(page, 'dropped').waitFor()
      assert.equal((await others.confirm('cyd')).error.type, 'CONFIRMATION_EXPIRED')
    })
  }

  for (const [decision, outcome, words] of [
    ['confirm', 'ok', 'done'],
    ['deny', 'dropped', 'not done'],
  ])
    test(`after a reload the page knows that others have decided: ${words}`, async t => {
      const visitor = await signedIn(t)
      const { page, ask, sees, card } = visitor
      await ask('the bill')
      await sees('Others decide.')
      const others = await sessionOf(t, visitor)
      await page.reload()
      await isAwake(page)
      // Pending as before.
      await sees(/0 of 2 have confirmed/, card)
      await page.goto('about:blank')
      await others[decision]('cyd')
      if (decision === 'confirm') await others.confirm('eve')
      await page.goto(web.url)
      await line(page, outcome).waitFor()
      assert.match(await line(page, outcome).innerText(), new RegExp(`^Pay a bill\n${words}`))
      // The gate has the record, also without what the browser keeps.
      await page.evaluate(() => localStorage.clear())
      await page.reload()
      await line(page, outcome).waitFor()
    })

  test('several are answered together once each was seen; one that fails undoes none, and the model hears of all at once', async t => {
    const { page, ask, card, sees, sent, said, faults } = await signedIn(t)
    await ask('three')
    await sees('Three questions.')
    const group = page.getByRole('group', { name: '3 questions' })
    await group.getByText('3 calls need your consent.').waitFor()
    const all = group.getByRole('button', { name: 'Approve all 3', disabled: false })
    await all.dblclick()
    await sees('the drawer is jammed', card)
    await sees('Noted.')
    assert.deepEqual(await card.evaluateAll(cards => cards.map(({ dataset }) => dataset.phase)), [
      'settled',
      'settled',
      'settled',
    ])
    assert.equal(sent.length, 3)
    assert.equal(new Set(sent.map(({ confirmationToken }) => confirmationToken)).size, 3)
    assert.deepEqual([(await linesOf('filed one')).length, (await linesOf('filed two')).length], [1, 1])
    // The user has said nothing, and the model speaks once.
    assert.equal(await said.count(), 1)
    assert.equal(await page.getByRole('log').getByText('Noted.').count(), 1)
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0)
    assert.deepEqual(faults, [])
  })

  test('on a phone, all can be approved only after each preview was in view', async t => {
    const { page, ask, card, sees, sent } = await signedIn(t, { width: 390, height: 640 })
    await ask('three')
    await sees('Three questions.')
    const group = page.getByRole('group', { name: '3 questions' })
    const isSeen = () => group.getByText('Look at each of them first.').count()
    await card.first().scrollIntoViewIfNeeded()
    const all = group.getByRole('button', { name: 'Approve all 3' })
    await all.evaluate(button => button.getAttribute('aria-disabled') === 'true' && button.click())
    // Passing them is not enough.
    for (let at = 0; at < 3; at += 1) await card.nth(at).locator('p').first().scrollIntoViewIfNeeded()
    assert.equal(await isSeen(), 1)
    const hint = group.getByText('Look at each of them first.')
    for (let round = 0; (await isSeen()) > 0 && round < 9; round += 1) {
      await card
        .nth(round % 3)
        .locator('p')
        .first()
        .scrollIntoViewIfNeeded()
      await hint.waitFor({ state: 'detached', timeout: 1000 }).catch(() => {})
    }
    assert.deepEqual(sent, [])
    await group.getByRole('button', { name: 'Approve all 3', disabled: false }).click()
    await sees('Noted.')
    assert.equal(sent.length, 3)
  })

  test('nine that are answered one after another are no loop', async t => {
    const { ask, card, sees, sent } = await signedIn(t)
    await ask('many')
    await sees('Nine questions.')
    for (let at = 0; at < 9; at += 1) {
      await card.nth(at).getByRole('button', { name: 'Approve', exact: true, disabled: false }).click()
      await card.nth(at).getByText(/^Done/).waitFor()
    }
    assert.equal(sent.length, 9)
    for (let at = 0; at < 9; at += 1) assert.equal((await linesOf(`filed note ${at}`)).length, 1)
  })

  test('what others decide is not among those that are answered together', async t => {
    const { page, ask, card, sees, sent } = await signedIn(t)
    await ask('mixed')
    await sees('Three questions.')
    await page.getByRole('group', { name: '2 questions' }).getByRole('button', { name: 'Deny all' }).click()
    await page.waitForFunction(() => document.querySelectorAll('section[data-phase="settled"]').length === 2)
    assert.deepEqual(
      sent.map(({ decision }) => decision),
      ['deny', 'deny'],
    )
    assert.equal(await card.getByRole('button', { name: 'Withdraw' }).count(), 1)
  })

  test('in a voice call, several are answered together, and each on its own', async t => {
    const visitor = await signedIn(t)
    const { page, ask, card, sees } = visitor
    const before = (await linesOf('filed one')).length
    await startCall(visitor)
    await ask('three')
    const group = page.getByRole('group', { name: '3 questions' })
    await group.getByRole('button', { name: 'Approve all 3', disabled: false }).click()
    await sees('the drawer is jammed', card)
    await page.waitForFunction(() => document.querySelectorAll('section[data-phase="settled"]').length === 3)
    assert.equal((await linesOf('filed one')).length, before + 1)
    // Each has the outcome of its own call.
    const cards = await card.evaluateAll(all => all.map(({ innerText }) => innerText.replaceAll(/\s+/g, ' ')))
    for (const [at, words] of [/File “one”.*Done/, /File “jam”.*the drawer is jammed/, /File “two”.*Done/].entries())
      assert.match(cards[at], words)
  })

  test('a grant is given with an approval, lets later calls run, is listed, and ends when it is revoked', async t => {
    const { page, ask, card, press, sees, sent, faults } = await signedIn(t)
    await ask('file apples')
    const later = card.getByLabel('Later calls')
    await later.waitFor()
    assert.deepEqual(await later.locator('option').allInnerTexts(), [
      'Ask me each time',
      'Same arguments: don’t ask for 10 minutes',
      'Any arguments: don’t ask for 10 minutes',
    ])
    await later.selectOption('tool')
    await press('Approve', card)
    await sees('Noted.')
    assert.deepEqual(sent[0].grant, { scope: 'tool', calls: 20, ttlMs: 600_000 })
    const grants = page.getByRole('list', { name: 'Runs without asking' })
    await grants.getByText(/20 calls/).waitFor()
    await ask('file pears')
    await sees('Filed? true')
    await grants.getByText(/19 calls/).waitFor()
    assert.equal(await card.count(), 1)
    await page.reload()
    await isAwake(page)
    await press('Ask again', grants)
    await grants.waitFor({ state: 'detached' })
    await ask('file pears, please')
    await sees(/^File “pears”$/, card)
    assert.deepEqual(faults, [])
  })

  test('a grant for the same arguments covers no others, and none is offered where the tool allows none', async t => {
    const { ask, card, press, sees } = await signedIn(t)
    await ask('file apples')
    await card.getByLabel('Later calls').selectOption('args')
    await press('Approve', card)
    await sees('Noted.')
    await ask('file pears')
    await sees('File “pears”', card.last())
    await ask('the bill')
    await sees('Pay 480 EUR to Printer', card)
    assert.equal(await card.last().getByLabel('Later calls').count(), 0)
  })

  for (const colorScheme of ['light', 'dark'])
    test(`axe finds nothing, and nothing is wider than a phone, ${colorScheme}`, async t => {
      const { page, ask, card, press, sees, overflows } = await signedIn(
        t,
        { width: 360, height: 740 },
        { colorScheme },
      )
      const check = async state => assert.deepEqual([await findings(page), await overflows()], [[], false], state)
      await ask('file apples')
      await card.getByLabel('Later calls').selectOption('tool')
      await check('a grant that is chosen')
      await press('Approve', card)
      await page.getByRole('list', { name: 'Runs without asking' }).waitFor()
      await sees('Noted.')
      await check('a grant that is given')
      await press('Ask again')
      await ask('mixed')
      await sees('Three questions.')
      await check('several, and one that others decide about')
    })

  describe('the routes', () => {
    const as = (path, body) =>
      fetch(web.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: 'login=ada' },
        body: JSON.stringify(body),
      })
    const grant = { scope: 'args', calls: 1, ttlMs: 60_000 }
    for (const [what, body] of [
      ['a grant of a denial', { decision: 'deny', grant }],
      ['too many calls', { decision: 'approve', grant: { ...grant, calls: 101 } }],
      ['another scope', { decision: 'approve', grant: { ...grant, scope: 'session' } }],
      ['no end', { decision: 'approve', grant: { ...grant, ttlMs: 1e12 } }],
    ])
      test(`refuse ${what}`, async () => {
        assert.equal((await as('/api/confirmations', { confirmationToken: 'x', ...body })).status, 400)
      })

    test('a user without a session has no grants, and watches nothing', async () => {
      assert.deepEqual(await (await as('/api/grants', {})).json(), { grants: [] })
      assert.equal((await as('/api/confirmations/watch', { known: [] })).status, 409)
    })
  })
})
