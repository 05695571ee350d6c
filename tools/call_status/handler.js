// Lists the session's background calls through the built-in service `registry`.
import { success } from '../_core/tool-response.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args, services }) {
  /** @type {import('../../index.js').BackgroundCall[]} */
  const calls = await services.registry.calls()
  const wanted = args.call_id === undefined ? calls : calls.filter(({ callId }) => callId === args.call_id)
  return success({ calls: wanted.map(shown) })
}

/** @param {import('../../index.js').BackgroundCall} call */
function shown({ callId, toolId, startedAt, running }) {
  return { callId, toolId, startedAt: new Date(startedAt).toISOString(), running }
}
