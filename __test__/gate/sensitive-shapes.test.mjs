// Sensitive values that arrive in a shape that the schema does not have appear nowhere; audit lines have no argument at all.
import { toModelResponse, toSpeech, toUiResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const CANARY = 'CANARY7731'
const secret = { type: 'string', 'x-sensitive': true }

const PROPERTIES = {
  person: {
    type: 'object',
    additionalProperties: false,
    properties: { name: secret, pin: { type: 'integer', 'x-sensitive': true } },
    required: ['name'],
  },
  list: { type: 'array', items: secret },
  secret: { ...secret, maxLength: 4 },
  either: { anyOf: [{ type: 'object', properties: { key: secret }, required: ['key'] }, { type: 'integer' }] },
  cards: { type: 'array', items: { type: 'object', properties: { number: secret }, additionalProperties: false } },
  plain: { type: 'string', maxLength: 4 },
  kind: { enum: ['a', 'b'] },
}

const SENSITIVE_SHAPES = [
  { person: CANARY },
  { person: [CANARY] },
  { person: { [CANARY]: 1 } },
  { person: { name: { [CANARY]: CANARY } } },
  { person: { name: 'x', pin: CANARY } },
  { list: CANARY },
  { list: { [CANARY]: CANARY } },
  { list: [[CANARY], { [CANARY]: 1 }] },
  { secret: { value: CANARY } },
  { secret: CANARY },
  { either: CANARY },
  { either: { key: { [CANARY]: CANARY } } },
  { cards: [CANARY, { [CANARY]: CANARY }] },
  { [CANARY]: { [CANARY]: CANARY } },
  { secrt: CANARY },
  [CANARY],
  JSON.stringify(CANARY),
  CANARY,
  `{"secret":"${CANARY}`,
  `{"secret":${CANARY}}`,
  `{"${CANARY}":1,"${CANARY}":2}`,
  `{"person":{"${CANARY}":1,"${CANARY}":2}}`,
  `{"person":{"${CANARY}":90071992547409930}}`,
  `{"person":{"${CANARY}":"\\ud800"}}`,
]

/** Not sensitive: the model may read its own value again, the log may not. */
const PLAIN_SHAPES = [{ plain: CANARY }, { kind: CANARY }, { plain: 7, kind: CANARY }]

async function answersOf(properties, shapes) {
  const { session, lines } = await openGate({ probe: { properties } })
  const answers = []
  for (const args of shapes) {
    const s = await session()
    const answer = await s.execute({ name: 'probe', args })
    answers.push([answer, toModelResponse(answer), toUiResponse(answer, s), toSpeech(answer)])
    await s.end()
  }
  return { answers, lines }
}

test('a sensitive value of a wrong shape is quoted nowhere', async () => {
  const { answers, lines } = await answersOf(PROPERTIES, SENSITIVE_SHAPES)
  for (const [index, views] of answers.entries()) {
    expect(views[0]).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
    expect([SENSITIVE_SHAPES[index], JSON.stringify(views).includes(CANARY)]).toEqual([SENSITIVE_SHAPES[index], false])
  }
  expect(lines.filter(({ event }) => event === 'tool_refused')).toHaveLength(SENSITIVE_SHAPES.length)
  expect(JSON.stringify(lines)).not.toContain(CANARY)
})

test('audit lines have place, keyword and what was expected of refused arguments, and no value', async () => {
  const { answers, lines } = await answersOf({ plain: PROPERTIES.plain, kind: PROPERTIES.kind }, [
    ...PLAIN_SHAPES,
    ...SENSITIVE_SHAPES,
  ])
  expect(answers[1][0].error.message).toContain(CANARY)
  expect(JSON.stringify(lines)).not.toContain(CANARY)
  expect(lines.filter(({ event }) => event === 'tool_refused').slice(0, 2)).toMatchObject([
    { message: 'the arguments do not fit: `/plain` maxLength: 4' },
    { message: 'the arguments do not fit: `/kind` enum: ["a","b"]' },
  ])
})
