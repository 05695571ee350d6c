// The answer that a handler's outcome becomes.
import { validateToolResponse } from '../../index.js'
import { probe } from './gate.mjs'

/** Text that an error may contain and no answer. */
export const SECRET = 'postgres://admin:hunter2@db.internal/customers'

/** Answers a call of a tool with this handler. */
export async function answerOf(execute, fields, options) {
  const { call, thrown } = await probe(execute, fields, options)
  const answer = await call({})
  expect(validateToolResponse(answer)).toBe(true)
  return { answer, thrown }
}

/** Checks that an outcome was answered as INTERNAL, and that the message matches `problem`. */
export function internal({ answer }, problem) {
  expect(answer).toMatchObject({
    ok: false,
    intents: [],
    // The tool of these tests has no side effects.
    error: { type: 'INTERNAL', retryable: false, partialSideEffects: false },
  })
  expect(answer.error.message).toMatch(/`probe`/)
  if (problem !== undefined) expect(answer.error.message).toMatch(problem)
  expect(answer).not.toHaveProperty('data')
}
