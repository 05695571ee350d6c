// The card of a running voice call: its user changes what is asked and grants later calls over the call's own connection. The two
// servers share no store.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findings } from './axe.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const on = (word, ...steps) => ({ when: { user: { contains: word } }, steps: steps.map(emit => ({ emit })) })
const slip = text => ({ call: { name: 'file_slip', args: { text } } })
const SCRIPT = {
  settings: { label: '', listenMs: 60_000 },
  rules: [
    on('with changes of their own', [{ say: 'I know of your changes.' }]),
    on('The user', [{ say: 'Noted.' }]),
    ...['apples', 'pears', 'plums'].map(text => on(text, [slip(text)], [{ say: 'Filed? {{result.ok|no}}' }])),
  ],
}
const DESK = { width: 1100, height: 1200 }
const PHONE = { width: 360, height: 740 }

describe('the card of a running voice call', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web, notesFile] = []
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-edits-'))
    context.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
    notesFile = join(folder, 'notes.log')
    const { simulator, env } = await simulate(context, SCRIPT)
    const shared = { TOOLGATE_ARTIFACT: await buildTestTools(context), TOOLGATE_TEST_NOTES: notesFile }
    const voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    web = await startWeb(context, { env: { ...env, ...shared, TOOLGATE_VOICE_URL: voice.url } })
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** A call that has begun, with the frames that the page sends. */
  async function call(t, viewport = DESK, settings = {}) {
    const sent = []
    const visitor = await visit(t, chromium, web.url, { viewport, ...settings })
    const { page, press } = visitor
    page.on('websocket', socket =>
      socket.on('framesent', ({ payload }) => typeof payload === 'string' && sent.push(JSON.parse(payload))),
    )
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
    return {
      ...visitor,
      confirms: () => sent.filter(({ type }) => type === 'confirm'),
      grants: page.getByRole('list', { name: 'Runs without asking' }),
      line: outcome => page.locator(`[data-tool="file_slip"][data-outcome="${outcome}"]`),
    }
  }
  const linesOf = async text =>
    (await readFile(notesFile, 'utf8').catch(() => '')).split('\n').filter(line => line.endsWith(`filed ${text}`))

  test('what its user changes is what runs, once; what is refused is shown at its field and runs nothing', async t => {
    const { card, ask, press, sees, confirms, line, faults } = await call(t)
    await ask('file apples')
    await press('Edit', card)
    const field = card.getByLabel('text')
    assert.equal(await field.inputValue(), 'apples')
    await field.fill('')
    await press('Approve changes', card)
    const problem = card.locator('[aria-invalid="true"]')
    await problem.waitFor()
    assert.equal(await problem.evaluate(one => one === document.activeElement), true)
    await line('asking').waitFor()
    assert.deepEqual([await line('failed').count(), await linesOf('apples')], [0, []])

    await field.fill('cherries')
    await press('Approve changes', card)
    await sees('Approved with your changes', card)
    const changes = card.getByRole('table', { name: 'Your changes' })
    assert.match(await changes.innerText(), /text\s+apples[^]*cherries/)
    await sees('I know of your changes.')
    await line('ok').waitFor()
    assert.deepEqual([(await linesOf('cherries')).length, await linesOf('apples')], [1, []])
    assert.deepEqual(
      confirms().map(({ args }) => args),
      [{ text: '' }, { text: 'cherries' }],
    )
    assert.deepEqual(faults, [])
  })

  test('discarded changes are none', async t => {
    const { card, ask, press, sees, confirms } = await call(t)
    await ask('file plums')
    await press('Edit', card)
    await card.getByLabel('text').fill('stones')
    await press('Discard changes', card)
    await press('Approve', card)
    await sees('Noted.')
    assert.deepEqual(
      confirms().map(({ args, grant }) => [args, grant]),
      [[undefined, undefined]],
    )
    assert.equal((await linesOf('plums')).length, 1)
  })

  test('more than the server takes at once ends no call', async t => {
    const { card, ask, press, sees, confirms, page } = await call(t)
    await ask('file apples')
    await press('Edit', card)
    await card.getByLabel('text').fill('x'.repeat(256 * 1024))
    await press('Approve changes', card)
    await sees(/more than the server takes at once/, card)
    assert.equal(await page.locator('[data-phase="live"]').count(), 1)
    await card.getByLabel('text').fill('few')
    await press('Approve changes', card)
    await sees('Approved with your changes', card)
    assert.equal(confirms().length, 1)
  })

  test('a grant lets later calls run, is listed and counted, and ends with “Ask again”', async t => {
    const { card, ask, press, sees, grants, faults } = await call(t)
    await ask('file apples')
    await card.getByLabel('Later calls').selectOption('tool')
    await press('Approve', card)
    await sees(/Later calls run without a question/, card)
    await sees(/20 calls/, grants)
    await ask('file pears')
    await sees('Filed? true')
    await sees(/19 calls/, grants)
    assert.deepEqual([await card.count(), (await linesOf('pears')).length], [1, 1])
    await press('Ask again', grants)
    await grants.waitFor({ state: 'detached' })
    await ask('file plums')
    await sees(/^File “plums”$/, card.last())
    assert.deepEqual(faults, [])
  })

  for (const colorScheme of ['light', 'dark'])
    test(`axe finds nothing, and nothing is wider than a phone, ${colorScheme}`, async t => {
      const { page, card, ask, press, sees, grants, overflows } = await call(t, PHONE, { colorScheme })
      const shots = process.env.TOOLGATE_SCREENSHOTS
      const check = async state => {
        if (shots) await page.screenshot({ path: join(shots, `${state}-${colorScheme}.png`) })
        assert.deepEqual([await findings(page), await overflows()], [[], false], state)
      }
      await ask('file apples')
      await press('Edit', card)
      await card.getByLabel('text').fill('')
      await press('Approve changes', card)
      await card.locator('[aria-invalid="true"]').waitFor()
      await check('refused')
      await card.getByLabel('text').fill('figs')
      await card.getByLabel('Later calls').selectOption('tool')
      await check('changed')
      await press('Approve changes', card)
      await sees('Approved with your changes', card)
      await grants.waitFor()
      await check('granted')
    })
})
