// Results that the page draws, in a browser: a chart, times to choose from, and what an approved call came to.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

describe('drawn results', { skip }, () => {
  const endings = []
  const onEnd = fn => endings.unshift(fn)
  let chromium
  let web
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-drawn-'))
    onEnd(() => rm(folder, { recursive: true, maxRetries: 3 }))
    chromium = await launchChromium()
    onEnd(() => chromium.close())
    const { env } = await simulate({ after: onEnd })
    web = await startWeb({ after: onEnd }, { env: { ...env, TOOLGATE_CALENDAR_FOLDER: folder } })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const type of ['bar', 'line', 'area', 'pie']) {
    test(`a ${type} chart, with its numbers as a table`, async t => {
      const { page, faults, ask, overflows } = await visit(t, chromium, web.url)
      await ask(`Draw a ${type} chart of 3, 5 and 8`)
      const figure = page
        .getByRole('region', { name: 'Your numbers' })
        .or(page.locator('section', { hasText: 'Your numbers' }))
      await figure.first().locator('svg.recharts-surface').first().waitFor()
      await page.getByText('The numbers as a table').click()
      assert.deepEqual(await page.getByRole('row', { name: '2 5' }).count(), 1)
      assert.equal(await overflows(), false)
      assert.deepEqual(faults, [])
    })
  }

  test('the sentences of an answer that was not understood are buttons that send them', async t => {
    const { page, faults, ask, sees } = await visit(t, chromium, web.url)
    await ask('colourless green ideas')
    await sees(/I did not understand that/)
    await page.getByRole('button', { name: 'who knows about onboarding?' }).click()
    await sees(/According to/)
    assert.deepEqual(faults, [])
  })

  test('a chosen time is asked for, approved, and shown with what came of it', async t => {
    const { page, faults, ask, card, press, sees } = await visit(t, chromium, web.url)
    await ask('Find a time for a design review')
    const slots = page.getByRole('region', { name: 'design review' })
    await slots.getByRole('button').first().click()
    await sees(/Whom shall I invite/)
    await ask('ada@example.com')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    assert.match(await card.innerText(), /Needs your consent/)
    await press('Approve')
    await card.getByText(/^Done: “design review”, /).waitFor()
    // The outcome in words, then what it has, ids last.
    assert.match(await card.getByRole('row').last().innerText(), /^Event id/)
    assert.doesNotMatch(await card.innerText(), /Needs your consent/)
    assert.match(
      await card.getByRole('row', { name: /^Start / }).innerText(),
      new RegExp(String(new Date().getFullYear())),
    )
    await page.getByRole('button', { name: 'Answer again' }).waitFor()
    // An approval is no message of the user.
    assert.equal(await page.getByRole('article', { name: 'You' }).count(), 3)
    assert.deepEqual(faults, [])
  })

  test('an approved image is shown, with what made it', async t => {
    const { page, faults, ask, press } = await visit(t, chromium, web.url)
    await ask('Generate an image of a lighthouse made of books')
    await press('Approve')
    const image = page.getByRole('img', { name: 'a lighthouse made of books' })
    await image.waitFor()
    await page.waitForFunction(element => element.naturalWidth > 0, await image.elementHandle())
    await page.getByText('Placeholder, not a generated image').waitFor()
    assert.equal((await fetch(`${web.url}/api/images/img_unknown`)).status, 404)
    assert.deepEqual(faults, [])
  })

  test('a conflict is labelled as the answer of the tool, and offers free times', async t => {
    const { page, ask, press, sees } = await visit(t, chromium, web.url)
    const cards = page.getByRole('region', { name: /^Confirmation: / })
    for (const title of ['launch', 'landing']) {
      await ask(`Schedule a ${title} with ada@example.com on 15 January 2030 at 10:00`)
      const card = cards.nth(title === 'launch' ? 0 : 1)
      await card.getByRole('button', { name: 'Approve' }).click()
      await card
        .getByText(title === 'launch' ? /^Done: / : /busy|at this time/)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Send' }).waitFor()
    }
    await sees(/failed · CONFLICT/)
    const offered = cards.nth(1).getByRole('region', { name: /^Free times for/ })
    assert.equal(await offered.getByRole('button').count(), 3)
    assert.equal(typeof press, 'function')
  })
})
