// A loaded registry over tools of the test, with its output kept. Handlers are given in the test as `execute`; a tool
// without one runs the handler of its folder.
import { createRegistry } from '../../index.js'
import { afterTest, toolSet } from './tool-set.mjs'

/**
 * @param {Record<string, object>} tools as `writeTools` takes them, with `execute`
 * @param {object} [options] of the registry
 * @returns {Promise<{ registry: object, lines: object[], thrown: unknown[], session: (options?: object) => Promise<object>, folder: string }>}
 */
export async function openGate(tools, options = {}) {
  const { folder, artifact } = await toolSet(tools)
  const lines = []
  const thrown = []
  const handlers = Object.fromEntries(
    Object.entries(tools).flatMap(([id, { execute }]) => (execute ? [[id, execute]] : [])),
  )
  const registry = createRegistry({
    artifact,
    handlers,
    audit: line => lines.push(JSON.parse(line)),
    onHandlerError: error => thrown.push(error),
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = given => registry.createSession({ mode: 'text', ...given })
  return { registry, lines, thrown, session, folder, artifact }
}

/** A session over one tool `probe` with this handler. */
export async function probe(execute, fields = {}, sessionOptions = {}) {
  const gate = await openGate({ probe: { execute, ...fields } })
  const session = await gate.session(sessionOptions)
  return { ...gate, session, call: (args = {}, id) => session.execute({ id, name: 'probe', args }) }
}

/** A promise with its ends: what a test holds back, and lets go. */
export function gateway() {
  let open
  const passed = new Promise(resolve => {
    open = resolve
  })
  return { open, passed }
}

/** Turns of the event loop: everything that was queued before has run. */
export const eventLoop = () => new Promise(resolve => setImmediate(resolve))

/** Waits for a fact that another thread makes true; bounded, and says what it waited for. */
export async function eventually(isSo, what, timeoutMs = 60_000) {
  const until = Date.now() + timeoutMs
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`never: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
