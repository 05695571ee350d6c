// The shipped example of a tool that needs confirmation: a meeting, from the chat to the calendar's file.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

test('a meeting is created once the user has agreed, and not again', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-calendar-'))
  t.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
  const { env } = await simulate(t)
  const web = await startWeb(t, { env: { ...env, TOOLGATE_CALENDAR_FOLDER: folder } })
  const file = () => readFile(join(folder, 'primary.ics'), 'utf8').catch(() => '')

  const browser = new Browser(web.url)
  const words = 'schedule a design review with ada@example.com on 15 January 2030 at 11:00'
  const asked = await browser.say(words, { timeZone: 'Europe/Berlin' })
  assert.equal(asked.answers[0].error.type, 'CONFIRMATION_REQUIRED', web.log())
  const [card] = asked.ofType('data-confirmation')
  assert.equal(
    card.data.preview,
    'Create "design review" from Tue 15 Jan 2030, 11:00 (Europe/Berlin) to Tue 15 Jan 2030, 11:30 (Europe/Berlin), inviting ada@example.com',
  )
  assert.equal(await file(), '')

  const { status, body } = await browser.confirm(card.data.token, 'approve')
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await browser.confirm(card.data.token, 'approve')).body.response.ok, false)
  const written = await file()
  assert.equal(written.match(/^BEGIN:VEVENT/gm).length, 1, written)
  // Long lines are folded there.
  assert.match(written.replaceAll('\r\n ', ''), /SUMMARY:design review[^]*mailto:ada@example\.com/)

  const other = new Browser(web.url)
  const [again] = (await other.say(words, { timeZone: 'Europe/Berlin' })).ofType('data-confirmation')
  assert.equal((await other.confirm(again.data.token, 'approve')).body.response.error.type, 'CONFLICT')
  assert.equal(await file(), written)
})

test('a meeting without a time gets the next free one, and another one the second time', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-calendar-'))
  t.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
  const { env } = await simulate(t)
  const web = await startWeb(t, { env: { ...env, TOOLGATE_CALENDAR_FOLDER: folder } })
  const starts = []
  for (const visit of ['first', 'second']) {
    const browser = new Browser(web.url)
    const asked = await browser.say('schedule a review with ada@example.com', { timeZone: 'America/Denver' })
    const [card] = asked.ofType('data-confirmation')
    const { status, body } = await browser.confirm(card.data.token, 'approve')
    assert.equal(status, 200, `${visit}: ${JSON.stringify(body)}`)
    const { start } = body.response.data
    const hour = Number(
      new Date(start).toLocaleString('en', { timeZone: 'America/Denver', hour: '2-digit', hourCycle: 'h23' }),
    )
    assert.ok(hour >= 9 && hour < 18 && Date.parse(start) > Date.now(), start)
    starts.push(start)
  }
  assert.notEqual(starts[0], starts[1])
})
