// Each state of a card, as the server's answers make it: what it says, what can be done, and that axe finds nothing in it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findings } from './axe.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const SCRIPT = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'book' } },
      steps: [
        { emit: [{ call: { name: 'book_room', args: { room: 'Harbour' } } }] },
        { emit: [{ say: 'Shall I?' }] },
        { emit: [{ say: 'Noted.' }] },
      ],
    },
  ],
}
const meta = { toolId: 'book_room', attempts: 1, duration: 5 }
const failed = (type, error) => ({ response: { ok: false, error: { type, ...error }, intents: [], meta } })
const SLOTS = [{ start: '2030-01-15T10:00:00Z', end: '2030-01-15T11:00:00Z' }]

describe('the states of a card', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web] = []
  before(async () => {
    const env = { ...(await simulate(context, SCRIPT)).env, TOOLGATE_ARTIFACT: await buildTestTools(context) }
    web = await startWeb(context, { env })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** A page whose question waits, in both themes. `answer`: of the route that takes the decision. */
  async function asked(t, colorScheme, answer, watched = {}) {
    const viewport = { width: 360, height: 740 }
    const visitor = await visit(t, chromium, web.url, { viewport, colorScheme, reducedMotion: 'reduce' })
    const { page, ask, card } = visitor
    const stopped = []
    await page.route('**/api/confirmations', route => answer(route))
    await page.route('**/api/confirmations/watch', async route => {
      const { known } = route.request().postDataJSON()
      if (!watched.outcome) return
      await watched.after
      await new Promise(resolve => setTimeout(resolve, 300))
      const { after: _, ...came } = watched
      const closed = known.map(({ token }) => ({ token, ...came }))
      await route.fulfill({ json: { pending: [], closed } }).catch(() => {})
    })
    await page.route('**/api/calls/cancel', route => {
      stopped.push(route.request().postDataJSON())
      return route.fulfill({ json: { cancelled: true } })
    })
    await page.route('**/api/chat', async route => {
      // A call that can be stopped once it has begun.
      const response = await route.fetch()
      const body = (await response.text()).replaceAll('"canStop":false', '"canStop":true')
      await route.fulfill({ response, body })
    })
    await ask('book it')
    const approve = card.getByRole('button', { name: 'Approve', exact: true, disabled: false })
    await card.waitFor()
    return { ...visitor, approve, stopped }
  }

  const json = (status, body) => route => route.fulfill({ status, json: body })
  const never = () => {}
  const STATES = [
    ['done', json(200, { response: { ok: true, data: { room: 'Harbour' }, intents: [], meta } }), /^Done\.$/],
    ['failed', json(502, failed('TRANSIENT', { message: 'the desk is closed' })), 'the desk is closed'],
    ['unknown', json(409, failed('CONFLICT', { message: 'lost', details: { outcome: 'unknown' } })), /check before/],
    ['refused', json(409, failed('CONFLICT', { message: 'busy', details: { free_slots: SLOTS } })), 'busy'],
    ['not taken', json(503, { error: { type: 'BUSY', message: 'come back later' } }), 'come back later'],
  ]
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, answer, words] of STATES)
      test(`${name}, ${colorScheme}`, async t => {
        const { page, approve, card, sees, overflows, faults } = await asked(t, colorScheme, answer)
        await approve.press('Enter')
        await sees(words, card)
        assert.deepEqual([await findings(page), await overflows()], [[], false])
        assert.deepEqual(faults, [])
      })

    test(`a call that runs shows its progress and can be stopped, ${colorScheme}`, async t => {
      let decided
      const after = new Promise(resolve => (decided = resolve))
      const running = { outcome: 'running', progress: 'asking the \u202edesk', after }
      const { page, approve, card, sees, press, stopped } = await asked(t, colorScheme, () => decided(), running)
      await approve.press('Enter')
      await sees('It runs.', card)
      // Characters that reorder text are shown as codes.
      await sees('asking the \\u202edesk', card)
      assert.deepEqual(await findings(page), [])
      await press('Stop', card)
      await sees('It is being stopped.', card)
      assert.equal(typeof stopped[0].callId, 'string')
    })

    for (const [outcome, words] of [
      ['running', 'It runs, approved elsewhere.'],
      ['unknown', /Approved elsewhere\. Its outcome is not known/],
      ['denied', 'Nothing was done, denied elsewhere.'],
      ['expired', 'Nothing was done.'],
    ])
      test(`${outcome} elsewhere, ${colorScheme}`, async t => {
        const { page, card, sees } = await asked(t, colorScheme, never, { outcome, progress: 'half' })
        await sees(words, card)
        assert.equal(await card.getByText('half').count(), outcome === 'running' ? 1 : 0)
        assert.deepEqual(await findings(page), [])
      })
  }

  test('a call that cannot be stopped has no Stop', async t => {
    const { page, ask, card, sees } = await visit(t, chromium, web.url)
    await page.route('**/api/confirmations', never)
    await ask('book it')
    await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).press('Enter')
    await sees('It runs.', card)
    assert.equal(await card.getByRole('button', { name: 'Stop' }).count(), 0)
  })
})
