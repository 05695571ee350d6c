// A reply with `args`. What Mastra's, Genkit's and the Agent Development Kit's adapters make of it, whose calls are suspended for their
// user, is `callOrAsk`; LiveKit's is `wrapToolCall`. The frameworks themselves are in __test__/packed.
import cards from '../../js/adapters/confirmation-cards.js'
import gateCall from '../../js/adapters/gate-call.js'
import toolCall from '../../js/adapters/tool-call.js'
import { openNotes } from './note-tools.mjs'

let notes
beforeEach(async () => {
  notes = await openNotes()
})
afterEach(() => notes.close())

const CALL = { id: 'call_send_0001', name: 'send_note', args: { to: 'Ada' } }
const sentTo = () => notes.ran.map(({ args }) => args.to)
const pending = async () => (await notes.session.listPending()).map(({ args }) => args.to)

/** Makes the call, and again with the user's reply. */
async function suspended(reply) {
  const { session, registry } = notes
  const gate = { session, registry, approvals: true, cards: new cards.ConfirmationCards() }
  const { nonce } = await gateCall.callOrAsk(gate, CALL)
  return (await gateCall.callOrAsk(gate, CALL, { reply: { nonce, approved: true, ...reply } })).answer
}

/** Makes the call, whose user is asked meanwhile. */
const awaited = reply => toolCall.wrapToolCall(notes.session, { confirm: () => ({ approved: true, ...reply }) })(CALL)

describe.each([
  ['a call that is suspended', suspended],
  ['a call that waits', awaited],
])('%s', (_, replied) => {
  test('an approval with `args` runs what the user changed', async () => {
    const answer = await replied({ args: { to: 'Bob' } })
    expect(answer).toMatchObject({ ok: true, meta: { edited: [{ path: '/to', value: 'Bob' }] } })
    expect([sentTo(), await pending()]).toEqual([['Bob'], []])
  })

  test('`args` as they were shown are no change', async () => {
    const answer = await replied({ args: { to: 'Ada' } })
    expect([answer.ok, answer.meta?.edited, sentTo()]).toEqual([true, undefined, ['Ada']])
  })

  test.each([
    ['a text', '{"to":"Bob"}'],
    ['an empty text', ''],
    ['a list', [{ to: 'Bob' }]],
    ['a boolean', true],
    ['an argument that the tool has not', { to: 'Bob', cc: 'Eve' }],
    ['another type', { to: 7 }],
  ])('`args` that are %s run nothing, and the confirmation stays pending', async (_, args) => {
    expect((await replied({ args })).error.type).toBe('VALIDATION')
    expect([sentTo(), await pending()]).toEqual([[], ['Ada']])
  })
})

test('an equal call that came while its user was asked is answered as the changed one', async () => {
  const confirm = async () => ({ approved: true, args: { to: 'Bob' } })
  const call = toolCall.wrapToolCall(notes.session, { confirm })
  const answers = await Promise.all([call(CALL), call({ ...CALL, id: 'call_send_0002' })])
  expect(answers.map(({ ok, data }) => [ok, data?.echo.to])).toEqual([
    [true, 'Bob'],
    [true, 'Bob'],
  ])
  expect([sentTo(), await pending()]).toEqual([['Bob'], []])
})

test('a denial with `args`, and a reply without the nonce, run nothing', async () => {
  expect((await suspended({ nonce: 'other', args: { to: 'Bob' } })).error.type).toBe('CONFIRMATION_REQUIRED')
  expect((await suspended({ approved: false, args: { to: 'Bob' } })).error.type).toBe('CANCELLED')
  expect([sentTo(), await pending()]).toEqual([[], []])
})
