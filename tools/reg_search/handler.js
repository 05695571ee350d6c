// Searches the tools of this session through the built-in service `registry`.
import { success } from '../_core/tool-response.js'

export async function execute({ args, mode, services }) {
  const { query, category, limit } = args
  return success({ tools: services.registry.search({ query, category, limit, mode }) })
}
