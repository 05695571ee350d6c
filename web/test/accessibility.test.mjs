// axe on each state of the page, in both themes and at a phone's width: a finding of any level fails.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findings } from './axe.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

describe('accessibility', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let web
  before(async () => {
    const { simulator, env } = await simulate(context)
    const voice = await startVoice(context, { TOOLGATE_GEMINI_BASE_URL: simulator.url })
    web = await startWeb(context, { env: { ...env, TOOLGATE_VOICE_URL: voice.url, TOOLGATE_INSPECTOR: 'on' } })
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, ${colorScheme}`, async t => {
      const settings = { colorScheme, viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }
      const { page, ask, press, card, dock, answers, sees, overflows } = await visit(t, chromium, web.url, settings)
      const check = async state => {
        assert.deepEqual(await findings(page), [], state)
        assert.equal(await overflows(), false, state)
      }
      await check('empty')
      await ask('What is our process for onboarding?')
      await page.getByRole('group', { name: 'Sources' }).waitFor()
      await ask('Schedule a design review with ada@example.com')
      await card.getByRole('button', { name: 'Approve' }).waitFor()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await check('an answer with sources, an open question')
      await press('Edit', card)
      await check('a form of changes')
      await press('Discard changes', card)
      await press('Talk')
      await sees(/Listening|Speaking/, dock)
      await ask('What is our process for invoices?')
      await sees(/According to Invoice approval/, answers)
      await check('a call')
      await press('Answer on another device')
      await check('the link of the call')
      await page.keyboard.press('Escape')
      await press('End')
      await sees('The call has ended.')
      await ask('shut up, you idiot')
      await page.waitForSelector('#message:disabled')
      await check('paused')
    })
  }

  test('the keyboard reaches everything in order, and the skip link comes first', async t => {
    const { page } = await visit(t, chromium, web.url)
    await page.evaluate(() => {
      document.body.tabIndex = -1
      document.body.focus()
    })
    const stops = []
    for (let count = 0; count < 12; count += 1) {
      await page.keyboard.press('Tab')
      stops.push(
        await page.evaluate(
          () =>
            document.activeElement.getAttribute('aria-label') ??
            document.activeElement.innerText ??
            document.activeElement.id,
        ),
      )
    }
    assert.deepEqual(stops.slice(0, 5), ['Skip to the content', 'Toolgate', 'Talk', 'Inspector', 'As the system'])
    assert.ok(stops.includes('Who knows about Rust?') && stops.includes('Talk'), stops.join())
  })
})
