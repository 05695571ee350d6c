// The unified functions over tools of the test, as a team that migrates has them.
import { createUnifiedTools } from '../../js/unified/index.js'
import { openGate } from '../support/gate.mjs'

export const SESSION = 'user-1'

/** A tool `probe` with this handler. */
export async function unified(tools, context = {}) {
  const gate = await openGate(tools)
  const functions = createUnifiedTools({ registry: gate.registry, ...context })
  const run = (name, args = {}, given = {}) =>
    functions.executeUnifiedTool(name, args, { sessionId: SESSION, ...given })
  return { ...gate, ...functions, run }
}
