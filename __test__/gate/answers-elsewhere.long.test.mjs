// A confirmation that is answered in another process while this one looks at it: each look is true of one moment.
import { success } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'

const ROUNDS = 25
const AT_ONCE = 8
const WRITE = { kind: 'write', duplicate: false, properties: { to: { type: 'string' } } }
const TOOLS = {
  pay: { ...WRITE, requiresConfirmation: true, execute: ({ args }) => success({ paid: args.to }) },
  book: {
    ...WRITE,
    execute: async ({ args, callTool }) => success(await callTool('pay', args, { confirmation: 'wait' })),
  },
}

describe.each([
  ['Redis', hasRedis, async () => ({ redis: (await RedisServer.start()).url })],
  ['Postgres', hasPostgres, async () => ({ postgres: (await PostgresServer.start()).url })],
])('%s', (_, isHere, start) => {
  const check = isHere ? test : test.skip

  check('a handler that waits hears of the call that ran, and a second yes that it came second', async () => {
    const store = await start()
    const [here, there] = [await openGate(TOOLS, { store }), await openGate(TOOLS, { store })]
    const pay = async sessionId => {
      let ask
      const asked = new Promise(resolve => (ask = resolve))
      const asking = await here.session({ sessionId, onNestedConfirmation: ask })
      const answering = await there.session({ sessionId })
      const booked = asking.execute({ id: 'call_book_0001', name: 'book', args: { to: sessionId } })
      const { token } = await asked
      const answers = await Promise.all([answering.confirm(token), asking.confirm(token)])
      const { data: heard } = await booked
      await Promise.all([asking.detach(), answering.detach()])
      return [heard.data, answers.map(({ ok, error }) => (ok ? 'ran' : error.details.reason)).sort()]
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const sessions = Array.from({ length: AT_ONCE }, (_, n) => `s-${round}-${n}`)
      const found = await Promise.all(sessions.map(pay))
      expect(found).toEqual(sessions.map(session => [{ paid: session }, ['ran', 'used']]))
    }
  })
})
