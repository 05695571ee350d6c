// A fresh process that loads one contender and makes a compiled tool set ready to run, then says how long that took.
// Started by startup.mjs: `node startup-child.mjs <contender> <artifact>`. Nothing is imported before the clock starts.
import { readFileSync } from 'node:fs'

const [contender, path] = process.argv.slice(2)

async function readyGateway({ checkSchemas }) {
  const { JsGateway } = await import('./js-gateway.mjs')
  const artifact = JSON.parse(readFileSync(path, 'utf8'))
  const handlers = Object.fromEntries(artifact.tools.map(({ toolId }) => [toolId, handle]))
  const gateway = new JsGateway({ artifact, handlers, checkSchemas })
  return { open: () => gateway.createSession({ sessionId: 'startup', mode: 'text' }), close: () => {} }
}

async function readyToolgate() {
  const { toolgate } = await import('./toolgate.mjs')
  // Handlers of a real set come from its modules, which cost the same on either side.
  const { tools } = JSON.parse(readFileSync(path, 'utf8'))
  const handlers = Object.fromEntries(tools.map(({ toolId }) => [toolId, handle]))
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
const answer = await session.executeText({ name: 'tool_0', args: '{"query":"is it ready"}' })
if (!answer.startsWith('{"ok":true')) throw new Error(`${contender} is not ready: ${answer}`)
await ready.close()
console.log(JSON.stringify({ readyMs, rssMb }))
