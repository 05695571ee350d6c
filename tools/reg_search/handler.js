// Searches the tools of this session through the built-in service `registry`.
import { success } from '../_core/tool-response.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args, mode, services }) {
  const { query, category, limit } = args
  return success({ tools: services.registry.search({ query, category, limit, mode }) })
}
