// Tools that note their runs.
import { gateway, openGate } from './gate.mjs'

export const NUMBER = { properties: { n: {} } }

/** Tools that count their runs; `held` waits for the test. */
export async function open(options) {
  const runs = []
  const hold = gateway()
  const note =
    name =>
    ({ args }) => {
      runs.push([name, args])
      return { ok: true, data: { name, ...args } }
    }
  const gate = await openGate(
    {
      look: { kind: 'read', ...NUMBER, execute: note('look') },
      make: { kind: 'write', ...NUMBER, execute: note('make') },
      plain: { ...NUMBER, execute: note('plain') },
      mail: {
        properties: {
          to: { type: 'string', format: 'email' },
          at: { type: 'string', format: 'date-time' },
          kind: { enum: ['a', 'b'] },
          body: {
            type: 'object',
            additionalProperties: false,
            properties: { lines: { type: 'array', items: { type: 'string' } } },
          },
        },
        required: ['to'],
        execute: note('mail'),
      },
      held: {
        kind: 'read',
        ...NUMBER,
        execute: async ({ args }) => {
          runs.push(['held', args])
          await hold.passed
          return { ok: true, data: { list: [1], ...args } }
        },
      },
      admin: { requiredRoles: ['admin'], execute: note('admin') },
      starts_voice: { allowedModes: ['text'], execute: note('starts_voice') },
      ends_voice: { allowedModes: ['voice'], execute: note('ends_voice') },
      says: {
        properties: { intents: { type: 'array' }, data: {} },
        execute: ({ args }) => ({ ok: true, data: args.data, intents: args.intents }),
      },
    },
    options,
  )
  return { ...gate, runs, release: hold.open }
}

/** The error type of each answer, or `ok`. */
export const types = answers => answers.map(({ error }) => error?.type ?? 'ok')
