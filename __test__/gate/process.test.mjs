// The addon in processes of its own: it never keeps one alive, never ends one early, and works on several threads.
import { fileURLToPath } from 'node:url'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { toolSet } from '../support/tool-set.mjs'

const TOOLS = {
  echo: { properties: { n: {} } },
  slow: {
    kind: 'write',
    timeoutMs: false,
    source:
      'export const execute = () => new Promise(resolve => setTimeout(resolve, 100, { ok: true, data: "answered" }))\n',
  },
  detached: {
    timeoutMs: false,
    source: `export const execute = () => {
    const promise = new Promise(resolve => { globalThis.answer = () => resolve({ ok: true, data: 'woken' }) })
    setTimeout(() => globalThis.answer(), 100).unref()
    return promise
  }\n`,
  },
  never: {
    kind: 'read',
    timeoutMs: 100,
    retry: { maxAttempts: 1 },
    source: 'export const execute = () => new Promise(() => {})\n',
  },
  stuck: {
    kind: 'read',
    timeoutMs: false,
    source: 'export const execute = () => new Promise(() => {})\n',
  },
  rejects: {
    source: `export const execute = async () => {
    Promise.reject(new Error('nobody waits for this'))
    await new Promise(resolve => setTimeout(resolve, 20))
    return { ok: true, data: 'fine' }
  }\n`,
  },
  throws_later: {
    source: `export const execute = async () => {
    setTimeout(() => { throw new Error('in a timer') }, 1)
    await new Promise(resolve => setTimeout(resolve, 20))
    return { ok: true, data: 'fine' }
  }\n`,
  },
}

const opening = (artifact, options = '') => `
  import { createRegistry } from ${JSON.stringify(PACKAGE)}
  const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}${options} }).load()
`
const SESSION = 'const session = await registry.createSession({ mode: "text" })\n'

/** Runs a program over TOOLS; it must end by itself. */
async function program(body, options = {}) {
  const { artifact } = await toolSet(TOOLS)
  const ran = await runModule(opening(artifact, options.registry) + (options.session ?? SESSION) + body, options)
  expect(ran.overdue).toBe(false)
  return ran
}

const clean = (ran, lines) =>
  expect({ ...ran, stdout: ran.stdout.trim().split('\n') }).toMatchObject({
    code: 0,
    signal: null,
    stderr: '',
    stdout: lines,
  })

test('a loaded registry without a call ends by itself', async () => {
  clean(await program('console.log("end")', { session: '' }), ['end'])
})

test('an open session, a watch and an audit file keep no process', async () => {
  const { folder } = await toolSet({})
  const registry = `, audit: { file: ${JSON.stringify(`${folder}/audit.jsonl`)} }`
  clean(await program('registry.watch(); await session.execute({ name: "echo" }); console.log("end")', { registry }), [
    'end',
  ])
})

test('a pending call keeps the process until it is answered', async () => {
  clean(await program('session.execute({ name: "slow" }).then(answer => console.log(answer.data))'), ['answered'])
})

test('also where nothing of the handler does', async () => {
  clean(await program('session.execute({ name: "detached" }).then(answer => console.log(answer.data))'), ['woken'])
})

test('a handler that never settles keeps it until its deadline', async () => {
  clean(await program('session.execute({ name: "never" }).then(answer => console.log(answer.error.details.reason))'), [
    'timeout',
  ])
})

test('a cancelled call keeps nothing', async () => {
  clean(
    await program(`
    session.execute({ id: "call_cancelled_1", name: "stuck" }).then(answer => console.log(answer.error.type))
    setImmediate(() => session.cancelAll("enough"))
  `),
    ['CANCELLED'],
  )
})

test('close lets it end at once, every call answered', async () => {
  clean(
    await program(`
    session.execute({ name: "stuck" }).then(answer => console.log(answer.error.type))
    await registry.close({ timeoutMs: 0 })
    console.log("closed")
  `),
    expect.arrayContaining(['CANCELLED', 'closed']),
  )
})

test('strict about rejections: a thousand calls of every fate leave none', async () => {
  const body = `
    const names = ['echo', 'nope', 'never', 'echo']
    const calls = Array.from({ length: 1000 }, (_, n) => ({ id: 'call_strict_' + n, name: names[n % 4], args: n % 3 ? { n } : '{' }))
    const answers = session.executeAll(calls)
    setImmediate(() => session.cancelAll('enough'))
    console.log((await answers).every(answer => typeof answer.ok === 'boolean'), (await answers).length)
  `
  clean(await program(body, { flags: ['--unhandled-rejections=strict'] }), ['true 1000'])
})

test.each([
  ['rejects', 'unhandledRejection', 'nobody waits for this'],
  ['throws_later', 'uncaughtException', 'in a timer'],
])('what a handler %s outside its promise harms no other call', async (name, event, message) => {
  const body = `
      process.on('${event}', error => console.log(error.message))
      const calls = [{ name: '${name}' }, ...Array.from({ length: 5 }, (_, n) => ({ name: 'echo', args: { n } }))]
      const answers = await Promise.all(calls.map(call => session.execute(call)))
      console.log(JSON.stringify(answers.map(({ ok }) => ok)), (await session.execute({ name: 'echo', args: { n: 9 } })).data.n)
    `
  clean(await program(body), [message, '[true,true,true,true,true,true] 9'])
})

test('two registries in one process are apart', async () => {
  const other = await toolSet({ other: {} })
  clean(
    await program(`
    const second = await createRegistry({ artifact: ${JSON.stringify(other.artifact)} }).load()
    const there = await second.createSession({ sessionId: session.sessionId, mode: 'text' })
    const types = [await there.execute({ name: 'echo' }), await session.execute({ name: 'echo' }), await there.execute({ name: 'other' })]
    await second.close()
    console.log(JSON.stringify([...types.map(({ ok }) => ok), (await session.execute({ name: 'echo', args: { n: 1 } })).ok]))
  `),
    ['[false,true,true,true]'],
  )
})

const linux = process.platform === 'linux' ? test : test.skip

linux('what reads a long text takes the processor of no thread that runs', async () => {
  const body = `
    import { readFileSync, readdirSync } from 'node:fs'
    await session.execute({ name: 'echo', args: { n: 'x'.repeat(100_000) } })
    const field = (tid, name) => readFileSync('/proc/self/task/' + tid + '/' + name, 'utf8')
    // The 41st field, of which the third comes after the name: proc_pid_stat(5). 3 is SCHED_BATCH.
    const policy = tid => field(tid, 'stat').split(') ').at(-1).split(' ')[41 - 3]
    const workers = readdirSync('/proc/self/task').filter(tid => field(tid, 'comm') === 'toolgate\\n')
    console.log(workers.length > 1, workers.every(tid => policy(tid) === '3'), policy(process.pid))
  `
  clean(await program(body), ['true true 0'])
})

describe('worker threads', () => {
  const worker = artifact => `
    const { parentPort, workerData } = require('node:worker_threads')
    const { createRegistry } = require(${JSON.stringify(fileURLToPath(PACKAGE))})
    createRegistry({ artifact: ${JSON.stringify(artifact)} }).load().then(async registry => {
      const session = await registry.createSession({ mode: 'text', policy: { totalCalls: 1000 } })
      if (workerData.hang) {
        session.execute({ name: 'never' })
        session.execute({ name: 'slow' })
        parentPort.postMessage('hangs')
        return
      }
      const answers = []
      for (let n = 0; n < 50; n += 1) answers.push(session.execute({ name: 'echo', args: { n } }))
      parentPort.postMessage((await Promise.all(answers)).map(({ data }) => data.n).join())
    })
  `

  const inWorkers = (artifact, body) =>
    program(`
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    const start = workerData => new Worker(${JSON.stringify(worker(artifact))}, { eval: true, workerData })
    ${body}
  `)
  const upTo50 = Array.from({ length: 50 }, (_, n) => n).join()

  test('two at once, beside the main thread', async () => {
    const { artifact } = await toolSet(TOOLS)
    const ran = await inWorkers(
      artifact,
      `
      const workers = [start({}), start({})]
      const exits = workers.map(one => once(one, 'exit'))
      const [[first], [second], own] = await Promise.all([...workers.map(one => once(one, 'message')), session.execute({ name: 'echo', args: { n: 1 } })])
      await Promise.all(exits)
      console.log(first === second, first, own.data.n)
    `,
    )
    clean(ran, [`true ${upTo50} 1`])
  })

  test('one that is terminated in the middle of its calls does no harm', async () => {
    const { artifact } = await toolSet(TOOLS)
    const ran = await inWorkers(
      artifact,
      `
      for (let n = 0; n < 3; n += 1) {
        const one = start({ hang: true })
        await once(one, 'message')
        await one.terminate()
      }
      const [after] = await once(start({}), 'message')
      console.log(after === ${JSON.stringify(upTo50)}, (await session.execute({ name: 'never' })).error.type, (await session.execute({ name: 'slow' })).data)
    `,
    )
    clean(ran, ['true TRANSIENT answered'])
  })
})
