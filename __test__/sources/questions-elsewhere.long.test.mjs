// Questions of a server in one process, and their answers in another, on every store that two processes can share.
import path from 'node:path'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { eventually } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { ERAS, fill, gate, named, projectOf, shown } from './asking.mjs'

const STORES = [
  ['a file', true, async () => ({ file: path.join(temporaryFolder(), 'store.db') })],
  ['Redis', hasRedis, async () => ({ redis: (await RedisServer.start()).url })],
  ['Postgres', hasPostgres, async () => ({ postgres: (await PostgresServer.start()).url })],
]
/** A process that is killed is given up after so long. */
const LEASE_MS = 1000
const WRITE = { reads: [], tools: { ask: { requiresConfirmation: false, duplicate: false, timeoutMs: 20_000 } } }

const callerOf = (options, session, call) => `
  import { createRegistry } from ${JSON.stringify(PACKAGE)}
  const registry = await createRegistry(${JSON.stringify(options)}).load()
  const onNestedConfirmation = () => console.log('"asked"')
  const session = await registry.createSession({ ...${JSON.stringify(session)}, onNestedConfirmation })
  console.log(JSON.stringify(await session.execute(${JSON.stringify(call)})))
  await registry.close()`

/** A call in a process of its own. `asked` has its questions so far; `answer` is null if it was killed. */
function callElsewhere(options, session, call) {
  const [asked, heard] = [[], []]
  let program
  const ended = runModule(callerOf(options, session, call), {
    onLine: (line, child) => {
      program = child
      const value = JSON.parse(line)
      if (value === 'asked') asked.push(value)
      else heard.push(value)
    },
  })
  return {
    asked,
    kill: () => program.kill('SIGKILL'),
    answer: ended.then(({ signal, stderr }) => {
      expect(stderr).toBe('')
      return signal === null ? heard[0] : null
    }),
  }
}

/** One session at two processes: at A, which is another one, a call that asks; and B, which is this one. */
async function atTwo(era, store, { session: name = 'shared', fields = {}, answer: byItself } = {}) {
  const id = 'call-of-both'
  const session = { sessionId: `${name}-${era}`, exclusive: false, mode: 'text', principal: 'ada' }
  const project = await projectOf(era, fields)
  const b = await gate(era, { project, fields, answer: byItself, options: { store }, session })
  const options = { artifact: project.artifact, sources: { shop: { transport: b.config.transport, ...fields } }, store }
  const askAtA = of => callElsewhere({ ...options, audit: 'none' }, session, { id, name: 'shop_ask', args: { of } })
  /** Answers the next question, which is A's. */
  const answer = async (number, content) => {
    let pending = []
    const isAsked = async () => (pending = await b.session.listPending()).length > 0
    await eventually(isAsked, `question ${number}`)
    expect(pending).toMatchObject([{ tool: 'server_question', callId: null, parentCallId: id }])
    return fill(content)(pending[0], b.session)
  }
  return { b, id, askAtA, answer }
}

/** A is killed while it waits for the answer to its question. */
async function killedAtA(...given) {
  const two = await atTwo(...given)
  const a = two.askAtA(['who'])
  await eventually(() => a.asked.length === 1, 'the question')
  a.kill()
  expect(await a.answer).toBe(null)
  return two
}

describe.each(STORES)('on %s', (_, isHere, open) => {
  const check = isHere ? test : test.skip

  check('what is asked in one process is answered in another, and runs once', async () => {
    const store = await open()
    for (const era of ERAS) {
      const { b, id, askAtA, answer } = await atTwo(era, store)
      const a = askAtA(['who', 'order'])
      const who = { name: 'Ada' }
      const order = { count: 2, size: 'm' }
      expect(await answer(1, { [named(era, 'who')]: who })).toMatchObject({ ok: true })
      expect(await answer(2, { [named(era, 'order')]: order })).toMatchObject({ ok: true })
      const heard = [
        shown(era, 'who', { action: 'accept', content: who }),
        shown(era, 'order', { action: 'accept', content: order }),
      ]
      expect(JSON.parse((await a.answer).data.text)).toEqual(heard)
      expect(a.asked.length).toBe(2)
      // The call's answer is known here, too, and its user is not asked again.
      expect(await b.ask(['who', 'order'], id)).toEqual(heard)
      expect([b.effects(), b.asked]).toEqual([1, []])
    }
  })

  check(
    'a process that is killed while its user is asked leaves a write unknown, and a read to be run again',
    async () => {
      const store = { ...(await open()), leaseMs: LEASE_MS }
      const write = await killedAtA('legacy', store, { session: 'a-write', fields: WRITE })
      expect(await write.b.ask(['who'], write.id)).toMatchObject({ type: 'CONFLICT', details: { outcome: 'unknown' } })
      expect([write.b.effects(), write.b.asked]).toEqual([0, []])
      const content = { who: { name: 'Ada' } }
      const read = await killedAtA('modern', store, { session: 'a-read', answer: fill(content) })
      expect(await read.b.ask(['who'], read.id)).toEqual([{ who: { action: 'accept', content: content.who } }])
      expect([read.b.effects(), read.b.asked.length]).toEqual([1, 1])
    },
  )
})
