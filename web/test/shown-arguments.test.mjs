// What a user sees before a confirmation is what runs, also if the arguments want to look like others.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { INSPECTOR_SECRET, startWeb } from './web-server.mjs'

const LINK = `https://pay.example/${'p'.repeat(280)}?to=\u202emoc.elpmaxe`
const RECIPIENTS = Array.from({ length: 12 }, (_, at) => `person${at}\u200b@example.com`)
// Not in the order of the schema: the long text comes first, to push the others out of sight.
const ARGS = {
  body: `Dear Ada,\n\nTo: nobody\n${'words \u2066'.repeat(400)}`,
  subject: 'שלום \u202eevil\u2028 <b>bold</b>',
  link: LINK,
  amount: 12500.5,
  to: RECIPIENTS,
}
/** Characters that must not stand in the page as they are. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

describe('shown arguments', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let web
  before(async () => {
    const { env } = await simulate(context, callOnce({ name: 'send_letter', args: ARGS }))
    const TOOLGATE_ARTIFACT = await buildTestTools(context)
    web = await startWeb(context, { env: { ...env, TOOLGATE_ARTIFACT, TOOLGATE_INSPECTOR: 'on' } })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  const cellsOf = async card => {
    const rows = await card.getByRole('table', { name: 'Arguments' }).getByRole('row').all()
    return Promise.all(
      rows.map(async row => [await row.getByRole('rowheader').innerText(), await row.getByRole('cell').innerText()]),
    )
  }

  test('a card has a row for each argument, in the order of the schema, and all of them as exact JSON', async t => {
    const { page, faults, ask, card, press, sees, overflows } = await visit(t, chromium, web.url)
    await ask('send it')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    const expected = [
      ['Recipients\nto', RECIPIENTS.map(to => `"${to.replace('\u200b', '\\u200b')}"`).join(', ')],
      ['amount', '12500.5'],
      ['Link\nlink', LINK.replace('\u202e', '\\u202e')],
      ['subject', 'שלום \\u202eevil\\u2028 <b>bold</b>'],
      [
        'Text of the letter\nbody',
        `${ARGS.body.slice(0, 200).replaceAll('\n', '\\n').replaceAll('\u2066', '\\u2066')}… (${ARGS.body.length} characters)`,
      ],
    ]
    assert.deepEqual(await cellsOf(card), expected)
    // The preview of a tool without a template is a line for each argument: the table has them.
    assert.match(
      await card.innerText(),
      /^Needs your consent\n+Send a letter\n+\d:\d\d\n+Send a letter\n+What will be done\n/,
    )
    // Each text is isolated from its neighbours, and escapes are kept together.
    assert.equal(await card.locator('td > bdi[dir=ltr]').count(), 4)
    assert.equal(await card.locator('td > bdi').count(), expected.length)
    assert.equal(await card.locator('td > :not(bdi)').count(), 0)

    const exact = card.getByRole('region', { name: 'Exact arguments' })
    assert.equal(await exact.isVisible(), false)
    await card.getByText('Exact arguments').click()
    const json = await exact.innerText()
    assert.deepEqual(JSON.parse(json), ARGS)
    assert.match(json, /\\u202emoc\.elpmaxe/)
    assert.doesNotMatch(await card.innerText(), HIDDEN)
    assert.equal(await overflows(), false)

    await page.reload()
    await isAwake(page)
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    assert.deepEqual(await cellsOf(card), expected)
    await press('Approve')
    await sees('Done.', card)
    const result = card.getByRole('table', { name: 'Result' })
    assert.match(await result.getByRole('row', { name: /Characters/ }).innerText(), new RegExp(`${ARGS.body.length}$`))
    assert.deepEqual(faults, [])
  })

  test("the details of a call show its arguments in the card's way", async t => {
    const { ask, card, answers } = await visit(t, chromium, web.url)
    await ask('send it')
    await card.waitFor()
    const call = answers.getByRole('list', { name: 'Tool calls' })
    await call.getByText('Send a letter', { exact: true }).click()
    const shown = await call.locator('pre').innerText()
    assert.doesNotMatch(shown, HIDDEN)
    assert.deepEqual(JSON.parse(shown.slice('send_letter('.length, -1)), ARGS)
  })

  test('the inspector escapes whatever it prints', async t => {
    const visitor = await chromium.newContext({ viewport: { width: 1280, height: 860 } })
    t.after(() => visitor.close())
    const page = await visitor.newPage()
    await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
    await page.goto(`${web.url}/inspector/try?tool=send_letter`)
    await page.locator('#inspector-call').waitFor()
    await page.getByRole('tab', { name: 'JSON', exact: true }).click()
    await page.getByLabel('Arguments', { exact: true }).fill(JSON.stringify(ARGS))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const asked = page.getByRole('region', { name: 'Arguments that an approval runs' })
    const json = await asked.innerText()
    assert.deepEqual(JSON.parse(json), ARGS)
    assert.doesNotMatch(json, HIDDEN)
    const response = await page.getByLabel('Answer 1', { exact: true }).innerText()
    assert.match(response, /\\u202emoc\.elpmaxe/)
    assert.doesNotMatch(response, HIDDEN)

    // A name that a model made up is printed by the answer and by the audit.
    const name = 'send\u202e_letter\u200b'
    const call = { name, args: '{}' }
    const sent = await page.evaluate(async body => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return (await fetch('/api/inspector/calls', init)).status
    }, call)
    assert.equal(sent, 200)
    await page.goto(`${web.url}/inspector/audit`)
    const row = page
      .getByRole('list', { name: 'Audit lines' })
      .getByRole('listitem')
      .filter({ hasText: 'send\\u202e_letter' })
    await row.first().getByRole('button').first().click()
    await row.first().getByRole('region').waitFor()
    const line = await row.first().innerText()
    assert.doesNotMatch(line, HIDDEN)
    assert.match(line, /"toolId": "send\\u202e_letter\\u200b"/)
  })
})
