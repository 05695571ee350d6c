// The inspector's sessions: runs of each end, of this server and of another, are found and say what became of them.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findings } from './axe.mjs'
import { VoiceClient } from '../../voice-server/test/support/voice-client.js'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { makeEndedRuns } from './ended-runs.mjs'
import { InspectorClient } from './inspector-http.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { AS_INSPECTOR, INSPECTOR_SECRET, startWeb } from './web-server.mjs'

/** What the page of each call says of its end. */
const ENDS = [
  [
    'call_denied',
    /Not run: it was denied.*not hungry.*A person was asked: “Order soup for you”.*Denied by Ada Lovelace, on the page/,
  ],
  ['call_expired', /Not run: nobody answered in time.*Order cake for you/],
  ['call_invalid', /Not run: the arguments do not fit.*must be a string, not an object/],
  ['call_budget', /Not run: the budget of calls is used up.*1 tool calls in text mode are used up/],
  ['call_loop_8', /Not run: the same call again and again.*called 4 times with these arguments/],
  ['call_duplicate', /Not run: a duplicate of an earlier call.*The earlier call is call_gift/],
  ['call_role', /Not run: a role or a right is missing.*needs a role that this session does not hold: hr/],
  ['call_timeout', /Failed: it did not answer in time.*did not answer within 150 ms/],
  ['call_failed', /Failed: the handler answered with an error.*the paper is burnt/],
  ['call_unknown', /Outcome unknown: it did not answer in time.*It may have had an effect/],
  ['call_retried', /Failed for now.*Attempt 1 failed \(TRANSIENT\); the next one .* later.*2 attempts/],
  ['call_approved', /Done.*A person was asked: “Order bread for you”.*Approved by Ada Lovelace, by voice.*Ran in /],
  ['call_fine', /Done.*about \d+ tokens.*The same call came again, and was answered from its record of turn 1/],
]

describe('the sessions of the inspector', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let folder
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-runs-'))
    endings.unshift(() => rm(folder, { recursive: true }))
    await makeEndedRuns(folder)
    const [audit, calls] = ['audit.jsonl', 'calls.jsonl'].map(name => join(folder, name))
    web = await startWeb(context, {
      env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_INSPECTOR_AUDIT: audit, TOOLGATE_INSPECTOR_CALLS: calls },
    })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** The page's text, as a reader sees it, and its address at the end. */
  async function read(path) {
    const response = await fetch(web.url + path, { headers: AS_INSPECTOR })
    const html = await response.text()
    return { status: response.status, url: response.url, html, text: wordsOf(html) }
  }

  /** The text of one call on the page of its session. */
  async function pageOf(callId) {
    const { html, url } = await read(`/inspector/sessions?call=${callId}`)
    assert.match(url, /\/inspector\/sessions\/session\?id=run_/)
    const article = html.split('<article').find(part => part.includes(`aria-label="Call ${callId}"`))
    assert.ok(article, `${callId} is not on its page`)
    return entities(
      article
        .split('</article>')[0]
        .replace(/<!--.*?-->/g, '')
        .replace(/<[^>]+>/g, ' '),
    ).replace(/\s+/g, ' ')
  }

  for (const [callId, said] of ENDS) {
    test(`one click from its id, the page of ${callId} says why`, async () => {
      assert.match(await pageOf(callId), said)
    })
  }

  test('sessions of text and voice are one list, the newest first, with who they belong to', async () => {
    const { text } = await read('/inspector/sessions')
    assert.match(text, /3 sessions, newest first run_of_all_ends text Ada Lovelace 20 calls, \d+ without success/)
    assert.match(text, /run_of_a_voice_call voice Ada Lovelace 1 call /)
  })

  test('found by the id of a call, the tool, and the person', async () => {
    for (const [sought, found, absent] of [
      ['CALL_DUPL', /1 of \d+ sessions.*call_duplicate send_gift Not run: a duplicate/, /run_of_a_voice_call/],
      ['order_lunch', /call_denied order_lunch Not run: it was denied/, /run_of_a_voice_call/],
      ['lovelace', /3 of 3 sessions|3 sessions/, /No session fits/],
      ['nothing like it', /No session fits/, /run_of_/],
    ]) {
      const { text } = await read(`/inspector/sessions?search=${encodeURIComponent(sought)}`)
      assert.match(text, found, sought)
      assert.doesNotMatch(text, absent, sought)
    }
  })

  test('arguments and answers are there, and nothing that is sensitive', async () => {
    assert.match(await pageOf('call_fine'), /"about" : "gates" .*"pin" : "\*\*\*".*"title" : "On gates"/)
    const { html } = await read('/inspector/sessions/session?id=run_of_all_ends')
    assert.ok(!html.includes('pin-90210'))
  })

  test('a call of this server is there at once', async () => {
    const client = new InspectorClient(web.url)
    await client.call({ name: 'kb_search', args: { query: 'Rust' }, id: 'call_from_here' })
    const { text } = await read('/inspector/sessions?search=call_from_here')
    assert.match(text, /a browser without a name \([0-9a-f]{8}\).*call_from_here kb_search Done/)
    const page = await read('/inspector/sessions?call=call_from_here')
    assert.match(page.text, /Done kb_search call_from_here/)
  })

  test('ids that nobody gave, and hostile ones, are words on a page', async () => {
    const hostile = [
      '<script>alert(1)</script>',
      '../../etc/passwd',
      '\u202e\u0000',
      '%',
      'x'.repeat(5000),
      '"><b>',
      '',
    ]
    for (const id of hostile) {
      for (const path of [
        'sessions?call=',
        'sessions?search=',
        'sessions/session?id=',
        'sessions/session?id=run_of_all_ends&call=',
      ]) {
        const { status, html } = await read(`/inspector/${path}${encodeURIComponent(id)}`)
        assert.equal(status, 200, path + id)
        assert.ok(!html.includes('<script>alert(1)') && !html.includes('"><b>'), path + id)
      }
    }
    assert.match((await read('/inspector/sessions/session?id=nobody')).text, /No such session is known/)
    assert.equal((await read('/inspector/sessions/session?id=a&id=b')).status, 200)
  })

  test('nobody reads them without the secret', async () => {
    for (const path of ['sessions', 'sessions/session?id=run_of_all_ends', 'sessions?call=call_fine']) {
      const response = await fetch(`${web.url}/inspector/${path}`, { redirect: 'manual' })
      assert.ok(!(await response.text()).includes('Lovelace'), path)
    }
  })

  test('a file that is huge, half-written or foreign is read as far as it goes', async () => {
    const audit = join(folder, 'audit.jsonl')
    const line = {
      at: new Date().toISOString(),
      event: 'tool_execution',
      sessionId: '<b>odd</b>',
      toolId: '__proto__',
      callId: '\ud800 a/b',
      turn: 'x',
    }
    const foreign = ['null', '[]', '{', 'plain words', '{"event":1}', JSON.stringify({ ...line, at: 'yesterday' })]
    await appendFile(audit, `${foreign.join('\n')}\n${JSON.stringify(line)}\n{"at":"2026-`)
    const { text } = await read('/inspector/sessions')
    assert.match(text, /<b>odd<\/b>.*1 call.*run_of_all_ends/)
    assert.equal((await read(`/inspector/sessions/session?id=${encodeURIComponent('<b>odd</b>')}`)).status, 200)

    await writeFile(audit, `${'x'.repeat(9 * 1024 * 1024)}\n${JSON.stringify({ ...line, sessionId: 'at_the_end' })}\n`)
    await writeFile(`${audit}.000001.gz`, '')
    const huge = await read('/inspector/sessions')
    assert.match(huge.text, /Only the last 8 MiB of “audit.jsonl” are shown, and none of its rotated files.*at_the_end/)
    await rm(audit)
    assert.match((await read('/inspector/sessions')).text, /“audit.jsonl” can’t be read \(ENOENT\)/)
  })
})

describe('a call of voice, and one of the chat', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let voice
  before(async () => {
    const { simulator, env } = await simulate(context, callOnce({ name: 'kb_search', args: { query: 'Rust' } }))
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-runs-'))
    endings.push(() => rm(folder, { recursive: true }))
    const shared = {
      TOOLGATE_AUDIT: join(folder, 'audit.jsonl'),
      TOOLGATE_AUDIT_ROTATE: 'off',
      TOOLGATE_INSPECTOR_CALLS: join(folder, 'calls.jsonl'),
      TOOLGATE_STORE: join(folder, 'sessions.sqlite'),
    }
    voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    web = await startWeb(context, { env: { ...env, ...shared, TOOLGATE_INSPECTOR: 'on' } })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  test('both are in the list, with what they were asked', async () => {
    const client = await VoiceClient.start(voice.url)
    client.say('Who knows about Rust?')
    await client.answer()
    await new Browser(web.url).say('Who knows about Rust?')
    const response = await fetch(`${web.url}/inspector/sessions?search=kb_search`, { headers: AS_INSPECTOR })
    const text = wordsOf(await response.text())
    assert.match(text, /2 of \d+ sessions|2 sessions/)
    assert.match(text, new RegExp(`${client.started.sessionId.slice(0, 80)} (text )?voice .*kb_search Done`))
    const page = await fetch(`${web.url}/inspector/sessions/session?id=${client.started.sessionId}`, {
      headers: AS_INSPECTOR,
    })
    assert.match(wordsOf(await page.text()), /kb_search.*"query" : "Rust".*"results"/)
    client.socket.close()
  })

  test('a call of an answer leads to its page, in a browser that has the secret and in no other', async t => {
    const chromium = await launchChromium()
    t.after(() => chromium.close())
    const { page, ask, sees } = await visit(t, chromium, web.url)
    await ask('Who knows about Rust?')
    await sees('It worked.')
    assert.equal(await page.locator('a[href*="inspector/sessions"]').count(), 0)
    await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
    await page.goto(web.url)
    await page
      .getByRole('link', { name: /^Inspect / })
      .first()
      .click()
    await page
      .getByRole('article', { name: /^Call / })
      .getByText('Done')
      .first()
      .waitFor()
    assert.match(page.url(), /sessions\/session\?id=.*&call=/)
  })
})

describe('the pages of sessions', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let chromium
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-runs-'))
    endings.unshift(() => rm(folder, { recursive: true }))
    await makeEndedRuns(folder)
    const [audit, calls] = ['audit.jsonl', 'calls.jsonl'].map(name => join(folder, name))
    web = await startWeb(context, {
      env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_INSPECTOR_AUDIT: audit, TOOLGATE_INSPECTOR_CALLS: calls },
    })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const colorScheme of ['light', 'dark'])
    for (const width of [320, 1440])
      test(`axe finds nothing, and nothing is too wide, ${colorScheme} at ${width}`, async t => {
        const browser = await chromium.newContext({ viewport: { width, height: 900 }, colorScheme })
        t.after(() => browser.close())
        const page = await browser.newPage()
        await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
        for (const path of ['sessions', 'sessions?search=order_lunch', 'sessions?call=call_denied']) {
          await page.goto(`${web.url}/inspector/${path}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          if (process.env.TOOLGATE_SHOTS)
            await page.screenshot({
              path: `${process.env.TOOLGATE_SHOTS}/${path.replace(/\W/g, '_')}-${colorScheme}-${width}.png`,
              fullPage: true,
            })
          assert.deepEqual(await findings(page), [], path)
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, path)
        }
        assert.ok(await page.getByRole('article', { name: 'Call call_denied' }).isVisible())
      })

  test('two clicks lead from a search to the reason', async t => {
    const browser = await chromium.newContext()
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
    await page.goto(`${web.url}/inspector/sessions`)
    await page.getByLabel('Search').fill('call_role')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'call_role' }).click()
    await page.getByRole('article', { name: 'Call call_role' }).getByText('a role or a right is missing').waitFor()
  })
})

/** The text of a page's main part, as a reader sees it. */
function wordsOf(html) {
  const main = /<main[^]*<\/main>/.exec(html)?.[0] ?? html
  const text = main
    .replace(/<script[^]*?<\/script>/g, '')
    .replace(/<!--.*?-->/g, '')
    .replace(/<[^>]+>/g, ' ')
  return entities(text).replace(/\s+/g, ' ')
}

const entities = text =>
  text
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
