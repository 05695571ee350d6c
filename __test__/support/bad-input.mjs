// Bad calls, and the checks that each has one defined answer and leaves the session as it was.
import { validateToolResponse } from '../../index.js'
import { openGate } from './gate.mjs'

export const MIB = 2 ** 20
export const DEEP = 100_000

/** A tool that takes anything, and keeps what it got. */
export const TOOLS = got => ({
  any: {
    properties: { a: {}, b: {} },
    execute: ({ args }) => {
      got.push(args)
      return { ok: true, data: args }
    },
  },
})

/** A gate with a session of many calls, and the arguments that its handler got. */
export async function opened(options) {
  const got = []
  const gate = await openGate(TOOLS(got), options)
  const session = await gate.session({ policy: { totalCalls: 1000 } })
  return { ...gate, got, session }
}

/** Runs a call on a fresh session; afterwards an ordinary call must run. */
export async function answerTo(call, options) {
  const { session, got } = await opened(options)
  const answer = await session.execute(call)
  expect(validateToolResponse(answer)).toBe(true)
  expect(JSON.parse(await session.executeText(call)).error?.type).toBe(answer.error?.type)
  expect(await session.execute({ id: 'call_afterwards_1', name: 'any', args: { a: 'still here' } })).toMatchObject({
    ok: true,
    data: { a: 'still here' },
  })
  expect({}.polluted).toBeUndefined()
  expect(Object.prototype).not.toHaveProperty('a')
  return { answer, got: got.slice(0, -1) }
}

/** The answer to a call of `any` with these arguments. */
export const argsOf = async (args, options) => (await answerTo({ name: 'any', args }, options)).answer

/** JSON with arrays a hundred thousand levels deep. */
export const nestedText = `{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`

/** An argument with arrays of this depth. */
export function nestedObject(depth) {
  let value = []
  for (let n = 1; n < depth; n += 1) value = [value]
  return { a: value }
}

/** Checks that an answer refuses the argument at `pointer`. */
export function refused(answer, pointer) {
  expect(answer).toMatchObject({
    ok: false,
    intents: [],
    error: {
      type: 'VALIDATION',
      retryable: false,
      partialSideEffects: false,
      message: expect.stringMatching(/^[^A-Z{].{8,}/),
    },
  })
  expect(answer.error.details).toEqual([
    expect.objectContaining({
      instancePath: pointer,
      schemaPath: expect.any(String),
      keyword: expect.any(String),
      params: expect.any(Object),
      message: expect.any(String),
    }),
  ])
  expect(answer.error.message.length).toBeLessThan(600)
}
