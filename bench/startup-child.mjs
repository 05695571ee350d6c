// A fresh process that loads one contender and makes a compiled tool set ready to run, then says how long that took.
// Started by startup.mjs: `node --expose-gc startup-child.mjs <contender> <artifact> <toolCount>`. Nothing is imported before
// the clock starts. `bare` loads nothing: its memory is Node's own.
//
// Like is timed with like: both import their library, read the same artifact, compile for every tool what recognises valid arguments,
// with formats, and are given the same handlers. (Ajv's function also reports what is wrong; Toolgate builds that at a tool's
// first value that is not plainly valid.) Handlers of a real set come from its modules, which cost the same on either side.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const [contender, path, toolCount] = process.argv.slice(2)
const handlers = Object.fromEntries(Array.from({ length: Number(toolCount) }, (_, n) => [`tool_${n}`, handle]))

async function readyGateway({ checkSchemas }) {
  const { JsGateway } = await import('./js-gateway.mjs')
  const artifact = JSON.parse(readFileSync(path, 'utf8'))
  const gateway = new JsGateway({ artifact, handlers, checkSchemas })
  return { open: () => gateway.createSession({ sessionId: 'startup', mode: 'text' }), close: () => {} }
}

async function readyToolgate() {
  const { toolgate } = await import('./toolgate.mjs')
  const registry = await toolgate.createRegistry({ artifact: path, handlers, audit: 'none' }).load()
  return { open: () => registry.createSession({ sessionId: 'startup', mode: 'text' }), close: () => registry.close() }
}

async function handle() {
  return { ok: true }
}

const ways = {
  bare: async () => null,
  js: () => readyGateway({ checkSchemas: true }),
  'js-unchecked': () => readyGateway({ checkSchemas: false }),
  toolgate: readyToolgate,
}

/** What stays, not what a start leaves behind for the collector; Toolgate reads what a start does not need beside it. */
async function residentMb() {
  await setTimeout(200)
  for (let time = 0; time < 3; time++) globalThis.gc()
  return process.memoryUsage().rss / 1e6
}

async function checkReady(ready) {
  const session = await ready.open()
  const last = toolCount - 2
  for (const id of [0, last - (last % 2)]) {
    const answer = await session.executeText({ name: `tool_${id}`, args: '{"query":"is it ready"}' })
    if (!answer.startsWith('{"ok":true')) throw new Error(`${contender} is not ready: ${answer}`)
  }
}

const started = performance.now()
const ready = await ways[contender]()
const readyMs = performance.now() - started
const rssMb = await residentMb()
if (ready !== null) await checkReady(ready)
await ready?.close()
console.log(JSON.stringify({ readyMs, rssMb }))
