// A fresh process that loads one contender and makes a compiled tool set ready to run, then says how long that took.
// Started by startup.mjs: `node startup-child.mjs <contender> <artifact> <toolCount>`. Nothing is imported before the clock
// starts.
//
// Like is timed with like: both import their library, read the same artifact, compile a validator with formats for every
// tool, and are given the same handlers. Handlers of a real set come from its modules, which cost the same on either side.
import { readFileSync } from 'node:fs'

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
  'js': () => readyGateway({ checkSchemas: true }),
  'js-unchecked': () => readyGateway({ checkSchemas: false }),
  'toolgate': readyToolgate,
}

const started = performance.now()
const ready = await ways[contender]()
const readyMs = performance.now() - started
const rssMb = process.memoryUsage().rss / 1e6

const session = await ready.open()
for (const id of [0, toolCount - 2]) {
  const answer = await session.executeText({ name: `tool_${id - (id % 2)}`, args: '{"query":"is it ready"}' })
  if (!answer.startsWith('{"ok":true')) throw new Error(`${contender} is not ready: ${answer}`)
}
await ready.close()
console.log(JSON.stringify({ readyMs, rssMb }))
