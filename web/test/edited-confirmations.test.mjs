// A user changes the arguments of a question on its card: what they see is what runs, and what they can't see stays as it was.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const ARGS = {
  to: 'Kiel',
  seats: 2,
  leaves: '2030-05-06T10:00:00+02:00',
  budget: 90.5,
  class: 'second',
  guests: ['Ada', 'Bob'],
  note: 'one \u202eowt',
  extras: { tents: 1 },
  card_number: '4000123412341234',
}
const SCRIPT = callOnce({ name: 'plan_trip', args: ARGS })
const ASKS = { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }
const [kiel, bremen] = ['Kiel', 'Bremen'].map(to => ({ call: { name: 'plan_trip', args: { ...ARGS, to } } }))
SCRIPT.rules.unshift({
  when: { user: { contains: 'both' } },
  steps: [
    { emit: [kiel, bremen] },
    { choose: [{ if: ASKS, emit: [{ say: 'Two questions.' }] }, { emit: [{ say: 'Noted.' }] }] },
    { emit: [{ say: 'Noted.' }] },
  ],
})
const WIDE = { viewport: { width: 1100, height: 900 }, timezoneId: 'Europe/Berlin' }
const PHONE = { viewport: { width: 360, height: 740 }, timezoneId: 'Asia/Tokyo' }

describe('edited confirmations', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let web
  before(async () => {
    chromium = await launchChromium()
    endings.unshift(() => chromium.close())
    const { env } = await simulate(context, SCRIPT)
    web = await startWeb(context, { env: { ...env, TOOLGATE_ARTIFACT: await buildTestTools(context) } })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** The card of a new visitor's question, with its fields. */
  async function editing(t, settings = WIDE) {
    const visited = await visit(t, chromium, web.url, settings)
    const { card, page } = visited
    await visited.ask('plan it')
    await card.getByRole('button', { name: 'Edit' }).click()
    const sent = []
    page.on('request', request => {
      if (request.method() === 'POST' && request.url().endsWith('/api/confirmations')) sent.push(request.postDataJSON())
    })
    const approve = name => card.getByRole('button', { name, exact: true, disabled: false }).press('Enter')
    return { ...visited, sent, approve, field: name => card.getByLabel(name) }
  }

  test('each kind of argument has its control, with the value that an approval would run', async t => {
    const { page, card, field, faults, overflows } = await editing(t, PHONE)
    assert.equal(await page.evaluate(() => document.activeElement.labels[0].textContent), 'Place')
    const values = await card
      .locator('input, select, textarea')
      .evaluateAll(all => all.map(one => [one.labels[0].textContent, one.type, one.value, one.readOnly === true]))
    assert.deepEqual(values, [
      ['Place', 'text', 'Kiel', false],
      ['seats', 'text', '2', false],
      ['Departure', 'datetime-local', '2030-05-06T17:00', false],
      ['budget (optional)', 'text', '90.5', false],
      ['class (optional)', 'select-one', 'second', false],
      ['quiet (optional)', 'select-one', '', false],
      ['guests (optional)', 'textarea', 'Ada\nBob', false],
      // Hidden characters are seen as escapes only.
      ['note (optional)', 'textarea', '"one \\u202eowt"', false],
      ['extras (optional)', 'textarea', '{\n  "tents": 1\n}', false],
      ['card_number', 'text', '***', true],
    ])
    assert.equal(await field('Departure').evaluate(one => one.parentElement.textContent.includes('Asia/Tokyo')), true)
    assert.equal(await overflows(), false)
    assert.deepEqual(faults, [])
  })

  test('what was changed is marked, runs, and is named on the card and to the model', async t => {
    const { card, field, sent, approve, sees, faults } = await editing(t)
    await field('Place').fill('Bremen')
    await field('seats').fill('3')
    await field('Departure').fill('2030-01-15T08:30')
    await field('quiet').selectOption('yes')
    await field('budget').fill('')
    await field('guests').fill('Ada\nCleo\n')
    assert.equal(await card.locator('[data-changed]').count(), 6)
    // Enter in a field approves nothing.
    await field('Place').press('Enter')
    assert.deepEqual(sent, [])
    await approve('Approve changes')
    await sees('Approved with your changes', card)
    const { budget: _, ...kept } = ARGS
    const changes = {
      to: 'Bremen',
      seats: 3,
      leaves: '2030-01-15T08:30:00+01:00',
      quiet: true,
      guests: ['Ada', 'Cleo'],
    }
    assert.deepEqual(sent, [
      {
        id: 'main',
        confirmationToken: sent[0].confirmationToken,
        decision: 'approve',
        args: { ...kept, card_number: '***', ...changes },
      },
    ])
    const rows = await card.getByRole('table', { name: 'Your changes' }).getByRole('row').allInnerTexts()
    assert.deepEqual(rows.map(row => row.replace('\t', ' ')).sort(), [
      'budget 90.5 removed',
      'guests.1 Bob Cleo',
      `leaves ${ARGS.leaves} ${changes.leaves}`,
      'quiet true',
      'seats 2 3',
      'to Kiel Bremen',
    ])
    await card.getByText('Asked before your changes:').waitFor()
    const result = card.getByRole('table', { name: 'Result' })
    assert.match(await result.getByRole('row', { name: /^Paid/ }).innerText(), /yes/)
    assert.match(await result.getByRole('row', { name: /^To/ }).innerText(), /Bremen/)
    await sees('It worked.')
    assert.deepEqual(faults, [])
  })

  test('a refusal stands at its field, the card stays open with what was written, and a correction runs', async t => {
    const { page, card, field, approve, sees } = await editing(t, PHONE)
    await field('seats').fill('9')
    await field('Place').fill('Bremen')
    await approve('Approve changes')
    const seats = card.getByRole('textbox', { name: /seats/, description: /8/ })
    await seats.waitFor()
    assert.equal(await seats.getAttribute('aria-invalid'), 'true')
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-invalid') === 'true')
    assert.equal(await field('Place').inputValue(), 'Bremen')
    await field('seats').fill('8')
    assert.equal(await field('seats').getAttribute('aria-invalid'), null)
    await approve('Approve changes')
    await sees('Approved with your changes', card)
    assert.match(
      await card
        .getByRole('table', { name: 'Result' })
        .getByRole('row', { name: /^Seats/ })
        .innerText(),
      /8/,
    )
  })

  test('what is no value is said at once, and is not sent', async t => {
    const { card, field, sent, approve } = await editing(t)
    await field('seats').fill('two')
    await field('extras').fill('{ tents: 1 }')
    await card.getByText('must be a number').waitFor()
    await card.getByText('must be JSON').waitFor()
    await approve('Approve changes')
    assert.deepEqual(sent, [])
    assert.equal(await field('seats').evaluate(one => one === document.activeElement), true)
  })

  test('changes that are discarded, or taken back by hand, are none: the call runs as it was shown', async t => {
    const { card, field, sent, approve, sees } = await editing(t)
    await field('Place').fill('Bremen')
    await card.getByRole('button', { name: 'Discard changes' }).click()
    assert.match(await card.getByRole('row', { name: /Place/ }).innerText(), /Kiel/)
    await card.getByRole('button', { name: 'Edit' }).click()
    assert.equal(await field('Place').inputValue(), 'Kiel')
    await field('seats').fill('3')
    await field('seats').fill('2')
    await approve('Approve')
    await sees(/^Done/, card)
    assert.deepEqual(
      sent.map(({ decision, args }) => [decision, args]),
      [['approve', undefined]],
    )
    assert.equal(await card.getByText('with your changes').count(), 0)
  })

  test('a change into what was done already is asked about, and runs once that is approved too', async t => {
    const { card, ask, press, sees, page } = await visit(t, chromium, web.url, WIDE)
    await ask('plan both')
    await sees('Two questions.')
    const approve = (place, name) =>
      card.nth(place).getByRole('button', { name, exact: true, disabled: false }).press('Enter')
    await approve(0, 'Approve')
    await sees('Noted.')
    await press('Edit', card.nth(1))
    await card.nth(1).getByLabel('Place').fill('Kiel')
    await card.nth(1).getByLabel('seats').fill('3')
    await approve(1, 'Approve changes')
    await page.getByText(/^Already done at .*Plan the trip to Kiel$/).waitFor()
    assert.equal(await card.count(), 3)
    await approve(2, 'Approve')
    await sees('Approved with your changes', card.nth(2))
    const rows = await card.nth(2).getByRole('table', { name: 'Your changes' }).getByRole('row').allInnerTexts()
    assert.deepEqual(rows.map(row => row.replace('\t', ' ')).sort(), ['seats 3', 'to Kiel'])
  })

  describe('the route', () => {
    async function asked() {
      const browser = new Browser(web.url)
      const { ofType } = await browser.say('plan it')
      const [{ data }] = ofType('data-confirmation')
      const send = async body => {
        const response = await browser.postJson('/api/confirmations', { confirmationToken: data.token, ...body })
        return { status: response.status, body: await response.json() }
      }
      return { browser, data, send }
    }

    test('bad `args` are refused, and the confirmation stays pending', async () => {
      const { browser, data, send } = await asked()
      assert.equal(data.args.card_number, '***')
      const bad = [
        [{ decision: 'approve', args: JSON.stringify(data.args) }, 400],
        [{ decision: 'approve', args: [data.args] }, 400],
        [{ decision: 'approve', args: null }, 400],
        [{ decision: 'deny', args: data.args }, 400],
        [{ decision: 'approve', args: { ...data.args, seats: 9 } }, 400],
        [{ decision: 'approve', args: { ...data.args, card_number: '1' } }, 400],
        [{ decision: 'approve', args: { ...data.args, more: 1 } }, 400],
        [{ decision: 'approve', args: { ...data.args, note: 'x'.repeat(300_000) } }, 413],
      ]
      for (const [body, status] of bad)
        assert.equal((await send(body)).status, status, JSON.stringify(body).slice(0, 200))
      const { pending } = await (await browser.fetch('/api/confirmations')).json()
      assert.deepEqual(
        pending.map(({ token }) => token),
        [data.token],
      )
      const { status, body } = await send({ decision: 'approve', args: { ...data.args, seats: 4 } })
      assert.equal(status, 200)
      assert.deepEqual(body.response.meta.edited, [{ path: '/seats', value: 4 }])
      assert.deepEqual([body.response.data.seats, body.response.data.paid], [4, true])
    })
  })
})
