// Links whose holders may change what they confirm, and grant later calls: the option `changes` of the route.
import { paying, stateOf } from '../support/confirmation-links.mjs'

const PROPERTIES = {
  to: { type: 'string', title: 'Recipient', maxLength: 5000 },
  eur: { type: 'number', maximum: 500 },
  fast: { type: 'boolean' },
  how: { enum: ['card', 'cash'] },
  pin: { type: 'string', 'x-sensitive': true },
  tags: { type: 'array', items: { type: 'string' } },
}
const FIELDS = { properties: PROPERTIES, confirmation: { grantable: 'args' } }
const ARGS = { to: 'ada', eur: 4.5, how: 'card', pin: 'pin-4711', tags: ['a'] }
const HTML = { headers: { accept: 'text/html' } }

async function asked(args = ARGS, fields = FIELDS, options = { changes: true }) {
  const ran = []
  const execute = ({ args: given }) => (ran.push(given), { ok: true })
  const gate = await paying({ ...fields, execute }, { route: options })
  const session = await gate.session({ principal: 'user-17' })
  await session.execute({ id: 'call_8f3a9c2e1', name: 'pay', args })
  const { id, sessionId } = gate.events[0]
  const link = await gate.registry.confirmationLink(id, { sessionId, baseUrl: 'https://app.example/confirm' })
  /** What a browser sends of the page's form, with what its user has changed. */
  const submit = async (changed = {}) => {
    const { fields: shown } = (await gate.send(link)).body.confirmation.changes
    const untouched = shown.map(({ name, default: given }) => [`field.${name}`, String(given ?? '')])
    return gate.send(link, gate.form({ ...Object.fromEntries(untouched), grant: '', decision: 'confirm', ...changed }))
  }
  return { ...gate, asking: session, ran, link, submit }
}

test('the fields are those that a form can show', async () => {
  const { send, link } = await asked()
  const { changes } = (await send(link)).body.confirmation
  expect(changes).toEqual({
    grantable: 'args',
    fields: [
      { name: 'to', title: 'Recipient', type: 'string', required: false, default: 'ada' },
      { name: 'eur', title: 'eur', type: 'number', required: true, default: 4.5 },
      { name: 'fast', title: 'fast', type: 'choice', required: false, choices: ['true', 'false'].map(both) },
      {
        name: 'how',
        title: 'how',
        type: 'choice',
        required: true,
        default: 'card',
        choices: ['card', 'cash'].map(both),
      },
    ],
  })
  const { text } = await send(link, HTML)
  for (const shown of ['***', 'value="4.5"', '<select name="field.how" required', 'name="grant"'])
    expect(text).toContain(shown)
  expect(text).not.toContain('pin-4711')
})
const both = value => ({ value, title: value })

test.each([
  ['nothing', {}, {}],
  ['a text', { 'field.to': 'bob' }, { to: 'bob' }],
  ['a text that is emptied', { 'field.to': '' }, { to: '' }],
  ['a line that is added', { 'field.to': 'ada\r\nlovelace' }, { to: 'ada\nlovelace' }],
  ['a number', { 'field.eur': '12' }, { eur: 12 }],
  ['what was absent', { 'field.fast': 'false' }, { fast: false }],
  ['a choice', { 'field.how': 'cash' }, { how: 'cash' }],
  ['what has no field', { 'field.pin': 'x', 'field.tags': 'b', 'field.more': 'c' }, {}],
])('%s changes: that runs, and the rest as it was asked', async (_what, sent, changed) => {
  const { submit, ran } = await asked()
  expect(stateOf(await submit(sent))).toEqual([200, 'confirmed', undefined])
  expect(ran).toEqual([{ ...ARGS, ...changed }])
})

test.each([
  ['out of its bounds', { 'field.eur': '501' }],
  ['no number', { 'field.eur': 'many' }],
  ['an emptied number', { 'field.eur': '' }],
  ['no choice', { 'field.how': 'gold' }],
  ['a wider grant than the tool allows', { grant: 'tool' }],
])('%s: it is refused, nothing runs, and the question stays', async (_what, sent) => {
  const { submit, ran } = await asked()
  expect(stateOf(await submit(sent))).toEqual([400, 'refused', 'VALIDATION'])
  expect(ran).toEqual([])
  expect(stateOf(await submit())).toEqual([200, 'confirmed', undefined])
})

test('a grant is the one that was chosen', async () => {
  const { submit, asking } = await asked()
  await submit({ grant: 'args' })
  expect(await asking.grants()).toMatchObject([{ tool: 'pay', scope: 'args', callsLeft: 20, via: 'link' }])
})

test('JSON has the arguments and the grant as `confirm` takes them', async () => {
  const { decide, link, ran, asking } = await asked()
  const grant = { scope: 'args', calls: 2, ttlMs: 60_000 }
  const args = { ...ARGS, pin: '***', eur: 1 }
  expect(stateOf(await decide(link, 'confirm', { args, grant }))).toEqual([200, 'confirmed', undefined])
  expect([ran, (await asking.grants())[0].callsLeft]).toEqual([[{ ...ARGS, eur: 1 }], 2])
})

test.each([
  ['hidden characters', 'ada\u202Eevil'],
  ['several lines', 'ada\nlovelace'],
  ['more than a person reads in a field', 'a'.repeat(2001)],
])('a text with %s has no field', async (_what, to) => {
  const { send, link, submit, ran } = await asked({ ...ARGS, to })
  const { fields } = (await send(link)).body.confirmation.changes
  expect(fields.map(({ name }) => name)).not.toContain('to')
  await submit({ 'field.to': 'bob' })
  expect(ran).toEqual([{ ...ARGS, to }])
})

test('a long text is shown whole', async () => {
  const to = 'a'.repeat(100)
  const { send, link } = await asked({ ...ARGS, to })
  expect((await send(link, HTML)).text).toMatch(
    /<textarea name="field\.to" aria-label="Recipient" rows="4">a{100}<\/textarea>/,
  )
})

test('approvers change nothing where there are several, and grant nothing', async () => {
  const of = count => ({ ...FIELDS, confirmation: { approvers: { roles: ['manager'], count } } })
  const approver = () => ({ principal: 'eve', roles: ['manager'] })
  const changesOf = async ({ send, link }) => (await send(link)).body.confirmation.changes
  expect(await changesOf(await asked(ARGS, of(2), { changes: true, approver }))).toEqual({ fields: [] })
  const one = await asked(ARGS, of(1), { changes: true, approver })
  expect(Object.keys(await changesOf(one))).toEqual(['fields'])
  expect(stateOf(await one.submit({ 'field.eur': '1' }))).toEqual([200, 'confirmed', undefined])
  expect(one.ran).toEqual([{ ...ARGS, eur: 1 }])
})

test('without the option a link confirms or denies, and nothing else', async () => {
  const { send, link, decide, form, ran } = await asked(ARGS, FIELDS, {})
  expect((await send(link)).body.confirmation.changes).toBeUndefined()
  expect((await send(link, HTML)).text).not.toMatch(/field\.|name="grant"/)
  for (const more of [{ args: { ...ARGS, eur: 1 } }, { grant: { scope: 'args', calls: 1, ttlMs: 1000 } }])
    expect(stateOf(await decide(link, 'confirm', more))).toEqual([400, 'refused', 'VALIDATION'])
  expect(ran).toEqual([])
  await send(link, form({ decision: 'confirm', 'field.eur': '1', grant: 'args' }))
  expect(ran).toEqual([ARGS])
})
