import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const has = roles =>
  toolRegistry
    .getProviderSchemas('openai', { mode: 'text', roles })
    .some(tool => tool.function.name === 'get_dashboard_stats')
console.log(
  JSON.stringify([has(undefined), has(['admin']), toolRegistry.getSummaries().includes('get_dashboard_stats')]),
)
await toolRegistry.close()
