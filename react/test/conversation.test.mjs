// The messages of a page, and those that a server has kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followed, joined } from '../dist/chat/use-conversation.js'
import { isOutcomeUnknown } from '../dist/question/card-outcome.js'

const of = (...ids) => ids.map(id => ({ id: id.toLowerCase(), text: id }))
const textsOf = messages => messages.map(({ text }) => text).join('')

test('what was kept stands before the messages of the page', () => {
  assert.equal(textsOf(joined(of('a', 'b'), of('B', 'c'))), 'aBc')
})

test('a page follows another tab, and keeps what the server does not have', () => {
  for (const [kept, messages, wanted] of [
    ['abc', '', 'abc'],
    ['abcd', 'AB', 'abcd'],
    ['bcd', 'AB', 'Abcd'],
    ['bcd', 'ABx', 'Abcdx'],
    ['ab', 'x', 'abx'],
    ['', 'xy', 'xy'],
  ])
    assert.equal(textsOf(followed(of(...kept), of(...messages))), wanted, `${kept} ${messages}`)
})

test('an answer says whether it is known what came of its call', () => {
  const refused = (type, details, partialSideEffects = false) => ({
    ok: false,
    error: { type, details, partialSideEffects },
  })
  const open = [
    refused('CONFLICT', { outcome: 'unknown' }),
    refused('CANCELLED', { outcome: 'continues' }),
    refused('TRANSIENT', { reason: 'timeout' }, true),
  ]
  const known = [
    { ok: true, data: { outcome: 'unknown' } },
    refused('CANCELLED', { outcome: 'not_started' }),
    refused('TRANSIENT', { reason: 'timeout' }),
    refused('PERMANENT', undefined, true),
  ]
  assert.deepEqual(open.map(isOutcomeUnknown), [true, true, true])
  assert.deepEqual(known.map(isOutcomeUnknown), [false, false, false, false])
})
