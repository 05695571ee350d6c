// A tool whose handler calls another one that waits for its user.
import { success } from '../../index.js'
import { eventually, openGate } from './gate.mjs'

export const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' } },
  required: ['to'],
  confirmation: { preview: 'Pay {to}' },
}
export const BOOK = { kind: 'write', duplicate: false, properties: { to: { type: 'string' } } }
export const wait = { confirmation: 'wait' }

/** A tool `book` whose handler pays, and waits for its user. `pay` and `book` are fields of the tools. */
export async function booking({ pay = {}, book = {}, more = {} } = {}, options = {}, sessionOptions = {}) {
  const runs = []
  const asked = []
  const tools = {
    pay: { ...PAY, execute: ({ args }) => (runs.push(args.to), success({ paid: args.to })), ...pay },
    book: {
      ...BOOK,
      execute: async ({ args, callTool }) => success(await callTool('pay', { to: args.to }, wait)),
      ...book,
    },
    ...more,
  }
  const gate = await openGate(tools, options)
  const open = given => gate.session({ onNestedConfirmation: request => asked.push(request), ...given })
  const session = await open(sessionOptions)
  const start = (to, id = `call_book_${to}`, name = 'book') => session.execute({ id, name, args: { to } })
  const question = async (n = 0) => {
    await eventually(() => asked.length > n, 'the user is asked')
    return asked[n]
  }
  return { ...gate, open, session, runs, asked, start, question, tools }
}
