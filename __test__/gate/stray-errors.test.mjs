// What handlers do outside their promise, in processes of their own: with `strayErrors: 'report'` it is reported, and harms no
// other call; without it, and for errors that are no handler's, Node does what it always does.
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { toolSet } from '../support/tool-set.mjs'

const later = body =>
  `export const execute = async () => {\n${body}\n  await new Promise(resolve => setTimeout(resolve, 30))\n  return { ok: true, data: 'fine' }\n}\n`
const TOOLS = {
  echo: { properties: { n: {} } },
  rejects: { source: later("  Promise.reject(new Error('nobody waits'))") },
  throws_later: { source: later("  setTimeout(() => { throw new Error('in a timer') }, 1)") },
  throws_next: { source: later("  process.nextTick(() => { throw new Error('in a tick') })") },
  throws_deep: { source: later("  setImmediate(async () => { await 1; throw new Error('deep down') })") },
  exits: { source: later('  process.exitCode = 3') },
  twice: {
    source:
      "export const execute = () => ({ then(resolve, reject) { resolve({ ok: true, data: 1 }); resolve({ ok: true, data: 2 }); reject(new Error('x')); setTimeout(resolve, 1, { ok: true, data: 3 }) } })\n",
  },
  getter: { source: "export const execute = () => ({ get then() { throw new Error('getter') } })\n" },
  proxy: {
    source:
      "export const execute = () => new Proxy({}, { get() { throw new Error('trap') }, ownKeys() { throw new Error('trap') } })\n",
  },
  thenable: { source: "export const execute = () => ({ then() { throw new Error('then') } })\n" },
  endless: {
    kind: 'read',
    timeoutMs: 50,
    retry: { maxAttempts: 1 },
    source: 'export const execute = () => ({ then() {} })\n',
  },
}

async function program(body, registry = '') {
  const { artifact } = await toolSet(TOOLS)
  return runModule(`
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const heard = []
    const onHandlerError = (error, { toolId }) => heard.push([error.message, toolId])
    const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, onHandlerError${registry} }).load()
    const session = await registry.createSession({ mode: 'text', policy: { totalCalls: 1000 } })
    ${body}
  `)
}

const report = ", strayErrors: 'report'"
const together = names => `
  const calls = [...${JSON.stringify(names)}.map(name => ({ name })), ...Array.from({ length: 20 }, (_, n) => ({ name: 'echo', args: { n } }))]
  const answers = await Promise.all(calls.map(call => session.execute(call)))
  console.log(JSON.stringify(answers.map(answer => answer.ok ? 'ok' : answer.error.type)))
  console.log(JSON.stringify(heard.sort()))
`
const echoes = Array(20).fill('ok')

test('reported: each is told with its tool, and every call is answered', async () => {
  const names = ['rejects', 'throws_later', 'throws_next', 'throws_deep']
  const ran = await program(
    together(names) +
      'await registry.close()\nconsole.log(process.listenerCount("uncaughtException"), process.listenerCount("unhandledRejection"))\n',
    report,
  )
  expect(ran).toMatchObject({ code: 0, stderr: '', overdue: false })
  expect(
    ran.stdout
      .trim()
      .split('\n')
      .map(line => (line.startsWith('[') ? JSON.parse(line) : line)),
  ).toEqual([
    [...names.map(() => 'ok'), ...echoes],
    [
      ['deep down', 'throws_deep'],
      ['in a tick', 'throws_next'],
      ['in a timer', 'throws_later'],
      ['nobody waits', 'rejects'],
    ],
    '0 0',
  ])
})

test('results that misbehave are answered for, and nothing else is', async () => {
  const ran = await program(together(['twice', 'getter', 'proxy', 'thenable', 'endless']))
  expect(ran).toMatchObject({ code: 0, overdue: false })
  const [types] = ran.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(types).toEqual(['ok', 'INTERNAL', 'INTERNAL', 'INTERNAL', 'TRANSIENT', ...echoes])
})

test("an exit code that a handler sets ends nothing: it is the host's to keep or to change", async () => {
  const ran = await program(together(['exits']))
  expect(ran).toMatchObject({ code: 3, overdue: false })
  expect(JSON.parse(ran.stdout.split('\n')[0])).toEqual(['ok', ...echoes])
})

test.each([
  ['by default', 'rejects', ''],
  ['by default', 'throws_later', ''],
])('%s a stray error of %s ends the process, as Node does', async (_how, name) => {
  const ran = await program(`await session.execute({ name: '${name}' })\nconsole.log('goes on')`)
  expect([ran.code, ran.stdout]).toEqual([1, ''])
})

test.each([
  ['an exception', 'setTimeout(() => { throw new Error("the host\'s own") }, 1)'],
  ['a rejection', 'Promise.reject(new Error("the host\'s own"))'],
])("reported or not, %s of the host's own ends the process", async (_what, body) => {
  const ran = await program(`setTimeout(() => console.log('goes on'), 100)\n${body}`, report)
  expect([ran.code, ran.stdout]).toEqual([1, ''])
  expect(ran.stderr).toContain("the host's own")
})
