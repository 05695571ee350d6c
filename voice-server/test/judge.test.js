// The judge of the scenarios names each fault: histories that are wrong in one way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './scenarios/judge.js'

const SUBJECT = { tool: 'note_save', key: 'k1x', open: [1], errors: [], anomalies: [], unmet: [] }
const CALL = { kind: 'call', connection: 1, id: 'call_1', name: 'note_save', args: { text: 'k1x' } }
const ASKED = { kind: 'answer', connection: 1, id: 'call_1', response: { ok: false } }
const CARD = { kind: 'shown', page: 1, type: 'confirmation', request: { token: 't', args: { text: 'k1x' } } }
const output = text => ({ kind: 'shown', page: 1, type: 'transcript', direction: 'output', text })
const READ_BACK = output('Note save: text: k1x. Shall I do that?')
const yes = way => ({ kind: 'yes', way, key: 'k1x' })
const RUN = { kind: 'run', tool: 'note_save', key: 'k1x' }
const END = { kind: 'ended', tool: 'note_save', key: 'k1x', ok: true }
const SHOWN = { kind: 'shown', page: 1, type: 'toolResult', id: 'call_1', ok: true }
const TOLD = output('It is saved: mark-k1x')
const TOLD_END = { ...output(''), final: true }
const RECONNECTED = { kind: 'shown', page: 1, type: 'state', provider: 'reconnected' }
const HEARD = { kind: 'shown', page: 1, type: 'answerIncomplete', reason: 'cut' }
const GOOD = [CALL, ASKED, CARD, READ_BACK, yes('speech'), RUN, END, SHOWN, TOLD]
const without = (...left) => GOOD.filter(entry => !left.includes(entry))
const answered = { ...ASKED, response: { ok: true, data: { mark: 'mark-k1x' } } }

const histories = {
  'an effect that runs twice': [[...GOOD, RUN], {}, ['ranTwice']],
  'a run without a yes': [without(GOOD[4]), {}, ['ranWithoutYes']],
  'a yes that comes after the run': [[...without(GOOD[4]), GOOD[4]], {}, ['ranWithoutYes']],
  'a yes to a question that was not heard': [without(READ_BACK), {}, ['ranWithoutYes']],
  'a yes before the question': [[yes('speech'), ...without(GOOD[4])], {}, ['ranWithoutYes']],
  'a key without a card': [[CALL, ASKED, yes('key'), RUN, END, SHOWN, TOLD], {}, ['ranWithoutYes']],
  'an answer to the model without an effect': [[CALL, answered], { mayFail: true }, ['answeredWithoutRun']],
  'a result on the page without an effect': [[CALL, ASKED, SHOWN], { mayFail: true }, ['answeredWithoutRun']],
  'words that come twice': [[...GOOD, TOLD], {}, ['toldTwice']],
  'words that come again when they had ended': [[...GOOD, TOLD_END, RECONNECTED, TOLD], {}, ['toldTwice']],
  'words that were heard in part, and come again': [[...GOOD, HEARD, RECONNECTED, TOLD], {}, ['toldTwice']],
  'words that never come': [without(TOLD), {}, ['notTold']],
  'a result that is neither shown nor said': [without(TOLD, SHOWN), {}, ['notTold']],
  'an effect that never ends': [without(END, SHOWN, TOLD), {}, ['notTold']],
  'an outcome that the text page does not find': [GOOD, { leaves: true }, ['notTold']],
  'a result that is shown twice on one page': [[...GOOD, SHOWN], {}, ['shownTwice']],
  'a call without an answer': [without(ASKED), {}, ['unanswered']],
  'an answer on another connection': [[...without(ASKED), { ...ASKED, connection: 2 }], {}, ['unanswered']],
  'an error of the server': [GOOD, { errors: ['voice call failed'] }, ['broken']],
  'an internal error on the page': [[...GOOD, { kind: 'shown', type: 'error', code: 'internal' }], {}, ['broken']],
  'what the provider would refuse': [GOOD, { anomalies: [{ kind: 'answered_twice' }] }, ['broken']],
  'a user who waits in vain': [GOOD, { unmet: ['told'] }, ['broken']],
}

for (const [name, [entries, more, faults]] of Object.entries(histories)) {
  test(`the judge names ${name}`, () => {
    assert.deepEqual(
      judge(entries, { ...SUBJECT, ...more }).map(({ fault }) => fault),
      faults,
    )
  })
}

const silentRead = { tool: 'archive_read', isSilent: true }
const asRead = entries =>
  entries.map(entry => ({
    ...entry,
    ...(entry.name && { name: 'archive_read' }),
    ...(entry.tool && { tool: 'archive_read' }),
  }))
for (const [name, entries, more] of [
  ['a run that went well', GOOD, {}],
  ['a yes by key', GOOD.map(entry => (entry === GOOD[4] ? yes('key') : entry)), {}],
  ['a call on a connection that is gone', without(ASKED), { open: [] }],
  [
    'a call that the provider cancelled',
    [...without(ASKED), { kind: 'callCancelled', connection: 1, id: 'call_1' }],
    {},
  ],
  ['words that were cut short with their connection, and came again', [...without(TOLD), TOLD, RECONNECTED, TOLD], {}],
  ['a result on two pages', [...GOOD, { ...SHOWN, page: 2 }], {}],
  [
    'a result that was cut, and shown',
    [...without(TOLD), { kind: 'shown', type: 'answerIncomplete', reason: 'cut' }],
    {},
  ],
  ['a read of a turn that is over', asRead(without(TOLD)), silentRead],
  [
    'an outcome that waits for the text page',
    [...without(TOLD, SHOWN), { kind: 'leftover', text: 'mark-k1x' }],
    { leaves: true },
  ],
]) {
  test(`the judge finds nothing in ${name}`, () => assert.deepEqual(judge(entries, { ...SUBJECT, ...more }), []))
}
