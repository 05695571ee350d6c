// The inspector in a real browser. Skipped, with a message, without Chromium.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { InspectorClient } from './inspector-http.mjs'
import { buildTestTools } from './test-tools.mjs'
import { INSPECTOR_SECRET, WEB, startWeb } from './web-server.mjs'

const DESK = { width: 1280, height: 860 }
const PHONE = { width: 360, height: 740 }
const GRAVE = ['serious', 'critical']

describe("the inspector's pages", { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let shipped
  let own
  before(async () => {
    chromium = await launchChromium()
    endings.unshift(() => chromium.close())
    shipped = await startWeb(context, { env: { TOOLGATE_INSPECTOR: 'on' } })
    own = await startWeb(context, {
      env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_ARTIFACT: await buildTestTools(context) },
    })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** A page of a new visitor, watched for errors and for requests to elsewhere. */
  async function visit(t, web, path, { viewport = DESK, colorScheme = 'light' } = {}) {
    const visitor = await chromium.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
    t.after(() => visitor.close())
    const page = await visitor.newPage()
    const faults = []
    page.on('pageerror', error => faults.push(error.message))
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('request', request => request.url().startsWith(web.url) || faults.push(request.url()))
    await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
    if (path !== '/inspector') await page.goto(web.url + path)
    return { page, faults, run: () => page.getByRole('button', { name: 'Run', exact: true }).click() }
  }

  /** The ToolResponse of the shown answer. */
  const shownAnswer = async (page, number) => {
    const text = await page
      .getByLabel(`Answer ${number}`, { exact: true })
      .getByRole('region', { name: 'ToolResponse' })
      .innerText()
    return JSON.parse(text)
  }

  test('tools are found by words and by what they are, and opened', async t => {
    const { page, faults } = await visit(t, shipped, '/inspector')
    const names = () => page.locator('main li h2').allInnerTexts()
    assert.equal((await names()).length, 29)
    await page.getByLabel('Search').fill('knowledge record')
    assert.deepEqual(await names(), ['kb_get', 'kb_search'])
    await page.getByLabel('Search').fill('')
    await page.getByLabel('Effect').selectOption('writes')
    await page.getByLabel('Asks first').selectOption('always')
    assert.deepEqual(await names(), ['calendar_create_event', 'image_generate'])
    await page.getByLabel('Category').selectOption('retrieval')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByRole('link', { name: 'kb_search' }).click()
    await page.waitForURL('**/inspector/tools/kb_search')
    assert.deepEqual(faults, [])
  })

  test('a tool shows what each provider is told, what it lost, its guide and its examples', async t => {
    const { page, faults } = await visit(t, shipped, '/inspector/tools/kb_search')
    await page.getByRole('tab', { name: 'Providers' }).click()
    assert.equal(await page.getByRole('tablist', { name: 'Providers' }).getByRole('tab').count(), 8)
    await page.getByRole('tab', { name: 'geminiNative 1 lost' }).click()
    const receipt = page.getByRole('region', { name: 'Lowering receipt for geminiNative' })
    assert.match(
      await receipt.innerText(),
      /lost\s+\/properties\/return_fields\/uniqueItems\s+Gemini does not support uniqueItems/,
    )
    assert.match(
      await page.getByRole('region', { name: 'Declaration for geminiNative' }).innerText(),
      /"type": "INTEGER"/,
    )
    await page.getByRole('tab', { name: 'Guide' }).click()
    await page.getByRole('heading', { name: 'Watch Out' }).waitFor()
    await page.getByRole('tab', { name: 'Examples' }).click()
    assert.match(await page.getByRole('region', { name: 'Example 2' }).innerText(), /invoice approval/)
    assert.deepEqual(faults, [])
  })

  test('the form is made from the schema, says what does not fit, and sends what does', async t => {
    const { page, faults, run } = await visit(t, shipped, '/inspector/try?tool=kb_search')
    await page.locator('#inspector-call').waitFor()
    await run()
    await page.getByText('must have required property').waitFor()
    assert.equal(await page.getByLabel('Answer 1').count(), 0)
    await page.getByLabel('query').fill('Rust')
    await page.getByLabel('top_k').fill('2')
    await page.getByLabel('type').selectOption('person')
    await page.getByLabel('full_text').check()
    await run()
    const { ok, data, meta } = await shownAnswer(page, 1)
    assert.equal(ok, true)
    assert.deepEqual([meta.turn, meta.defaulted], [1, ['/namespace', '/include_snippets']])
    assert.ok(data.results.length <= 2 && data.results.every(({ type, full_text: text }) => type === 'person' && text))
    assert.deepEqual(faults, [])
  })

  test('an example fills the form, and the form fills the JSON', async t => {
    const { page } = await visit(t, shipped, '/inspector/try?tool=kb_search')
    await page.getByRole('button', { name: 'example 2' }).click()
    assert.equal(await page.getByLabel('query').inputValue(), 'invoice approval')
    await page.getByLabel('top_k').fill('4')
    await page.getByRole('tab', { name: 'JSON', exact: true }).click()
    const text = await page.getByLabel('Arguments', { exact: true }).inputValue()
    assert.deepEqual(JSON.parse(text), { query: 'invoice approval', filters: { type: 'process' }, top_k: 4 })
  })

  test('a schema with alternatives, recursion and free names has a form too', async t => {
    const { page, faults, run } = await visit(t, own, '/inspector/try?tool=odd_shapes')
    await page.getByLabel('Which alternative').selectOption('place')
    await page.getByLabel('kind').fill('place')
    await page.getByLabel('floor').selectOption('2')
    await page.getByLabel('name').fill('root')
    await page.getByRole('group', { name: 'labels' }).getByRole('button', { name: 'Add' }).click()
    await run()
    await page.getByLabel('Answer 1').waitFor()
    const { data } = await shownAnswer(page, 1)
    assert.deepEqual([data.target, data.tree], [{ kind: 'place', floor: 2 }, { name: 'root' }])
    assert.equal(Object.keys(data.labels).length, 1)
    assert.deepEqual(faults, [])
  })

  test('what fits no schema, no JSON and no tool is sent as it is written', async t => {
    const { page, faults, run } = await visit(t, shipped, '/inspector/try?tool=kb_search')
    await page.getByRole('tab', { name: 'JSON', exact: true }).click()
    const field = () => page.getByLabel('Arguments', { exact: true })
    await field().fill('{"query": 7, "more": true}')
    await run()
    const details = page.getByRole('region', { name: 'What does not fit the schema' })
    assert.match(await details.innerText(), /\/query\s+type[^]*additionalProperties/)
    await field().fill('{"query": "Ru')
    await run()
    await page.getByLabel('Answer 2', { exact: true }).waitFor()
    assert.equal((await shownAnswer(page, 2)).error.details[0].keyword, 'json')
    await page.getByRole('tab', { name: 'Raw call' }).click()
    await page.getByLabel('Name', { exact: true }).fill('kb_serch')
    await field().fill('{}')
    await run()
    await page.getByLabel('Answer 3', { exact: true }).waitFor()
    assert.equal((await shownAnswer(page, 3)).error.suggestion, 'did you mean `kb_search`?')
    assert.deepEqual(faults, [])
  })

  test("a mode that is not the tool's is told before, and refused", async t => {
    const { page, run } = await visit(t, shipped, '/inspector/try?tool=kb_search')
    await page.getByLabel('query').fill('Rust')
    await page.getByLabel('Mode').selectOption('webcam')
    await page.getByText('Not allowed in webcam').waitFor()
    await run()
    await page.getByLabel('Answer 1').waitFor()
    assert.equal((await shownAnswer(page, 1)).error.type, 'MODE_RESTRICTED')
  })

  test('an approved call runs, a denied one does not', async t => {
    const { page, faults, run } = await visit(t, own, '/inspector/try?tool=book_room')
    const card = () => page.getByRole('region', { name: 'Confirmation of book_room' })
    await page.getByLabel('room').fill('Harbour')
    await run()
    await card().waitFor()
    assert.match(await card().innerText(), /Book the room Harbour/)
    const { error } = await shownAnswer(page, 1)
    assert.deepEqual([error.type, error.confirmation_request.token], ['CONFIRMATION_REQUIRED', undefined])
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByLabel('Answer 2', { exact: true }).waitFor()
    const booked = (await shownAnswer(page, 2)).data
    assert.equal(booked.room, 'Harbour')
    assert.equal(await card().count(), 0)

    await page.getByLabel('room').fill('Attic')
    await run()
    await card().waitFor()
    // Pending confirmations are shown again after a reload.
    await page.reload()
    await card().getByText('Book the room Attic').waitFor()
    await page.getByRole('button', { name: 'Deny', disabled: false }).press('Enter')
    await page.getByText('Denied: nothing was run.').waitFor()
    assert.equal(await card().count(), 0)
    const other = new InspectorClient(own.url)
    const [asked] = (await other.call({ name: 'book_room', args: { room: 'Cellar' } })).body.pending
    assert.equal((await other.decide(asked.token, 'approve')).body.response.data.number, booked.number + 1)
    assert.deepEqual(faults, [])
  })

  test('the audit shows a call as it happens, filters, pauses and opens a line', async t => {
    const { page, faults } = await visit(t, own, '/inspector/audit')
    const rows = page.getByRole('list', { name: 'Audit lines' }).getByRole('listitem')
    await page.getByText('live', { exact: true }).waitFor()
    await new InspectorClient(own.url).call({
      name: 'log_lines',
      id: 'call_seen_in_the_audit',
      args: { count: 2, characters: 3 },
    })
    await rows.filter({ hasText: 'tool_execution' }).filter({ hasText: 'log_lines' }).first().waitFor()
    await page.getByLabel('Event').selectOption('tool_log')
    await page.getByLabel('Tool', { exact: true }).selectOption('log_lines')
    assert.equal(await rows.count(), 2)
    await rows.first().getByRole('button').first().press('Enter')
    assert.match(await rows.first().getByRole('region').innerText(), /"text": "xxx"/)

    await page.getByRole('button', { name: 'Pause' }).click()
    await new InspectorClient(own.url).call({ name: 'log_lines', args: { count: 3, characters: 3 } })
    await page.getByText(/^\d+ new$/).waitFor()
    assert.equal(await rows.count(), 2)
    await page.getByRole('button', { name: 'Go on' }).click()
    await rows.nth(4).waitFor()
    assert.equal(await rows.count(), 5)
    assert.deepEqual(faults, [])
  })

  test('the charts have what was called, in words and as a table too, and follow', async t => {
    const client = new InspectorClient(shipped.url)
    await client.call({ name: 'kb_get', args: { id: 'process:onboarding' } })
    await client.call({ name: 'kb_get', args: { id: 'process:nowhere' } })
    const { page, faults } = await visit(t, shipped, '/inspector/metrics')
    await page.getByRole('heading', { name: 'Calls' }).waitFor()
    assert.ok((await page.locator('.recharts-bar-rectangle path').count()) > 4)
    for (const title of ['Calls', 'Latency', 'Errors by type', 'Bytes into the context']) {
      const card = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
      await card.getByText('The numbers as a table').click()
      assert.ok((await card.getByRole('row').count()) > 1, title)
    }
    const latency = page.getByRole('region', { name: 'Latency' })
    assert.match(await latency.innerText(), /kb_get( · text)?\s+[\d.]+\s+[\d.]+\s+[\d.]+/)
    const count = async () =>
      Number(
        (
          await page
            .locator('dl div')
            .filter({ hasText: /^Calls/ })
            .locator('dd')
            .innerText()
        ).trim(),
      )
    const earlier = await count()
    await client.call({ name: 'kb_get', args: { id: 'process:onboarding' } })
    await page.waitForFunction(shown => Number(document.querySelector('main dl dd').innerText) > shown, earlier)
    assert.deepEqual(faults, [])
  })

  for (const colorScheme of ['light', 'dark']) {
    test(`every page is fit for a phone and for screen readers, in ${colorScheme}`, async t => {
      const axe = await readFile(`${WEB}node_modules/axe-core/axe.min.js`, 'utf8')
      const views = [
        ['/inspector', []],
        ['/inspector/tools/kb_search', ['Providers', /geminiNative/]],
        ['/inspector/tools/kb_search', ['Guide']],
        ['/inspector/tools/calendar_create_event', ['Schema']],
        ['/inspector/try?tool=calendar_create_event', []],
        ['/inspector/try?tool=kb_search', ['Raw call']],
        ['/inspector/sessions', []],
        ['/inspector/audit', []],
        ['/inspector/metrics', []],
      ]
      const { page } = await visit(t, shipped, '/inspector', { viewport: PHONE, colorScheme })
      for (const [path, tabs] of views) {
        await page.goto(shipped.url + path)
        await page.waitForFunction(() => document.querySelector('main h1'))
        for (const name of tabs) await page.getByRole('tab', { name }).click()
        if (path.startsWith('/inspector/try')) await runExample(page, tabs.length === 0)
        if (path.endsWith('audit')) await page.getByText('newest first').waitFor()
        if (path.endsWith('metrics')) await page.locator('.recharts-bar').first().waitFor()
        const wide = await page.evaluate(
          () =>
            [document.documentElement, document.querySelector('main')].filter(
              part => part.scrollWidth > part.clientWidth,
            ).length,
        )
        assert.equal(wide, 0, `${path} scrolls sideways`)
        // Evaluated in the page's own world by the debugger: the page's policy lets no script in.
        const { violations } = await page.evaluate(`${axe};axe.run(document, { resultTypes: ['violations'] })`)
        const found = violations
          .filter(({ impact }) => GRAVE.includes(impact))
          .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])
        assert.deepEqual(found, [], path)
      }
    })
  }

  async function runExample(page, isForm) {
    if (isForm) await page.getByRole('button', { name: 'example 1' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByLabel('Answer 1', { exact: true }).waitFor()
  }

  test('in production without the switch there is no page and no way to it', async t => {
    const off = await startWeb(t)
    const { page } = await visit(t, off, '/')
    assert.equal(await page.getByRole('link', { name: 'Inspector' }).count(), 0)
    assert.equal((await page.goto(`${off.url}/inspector`)).status(), 404)
  })
})
