import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const answer = await toolRegistry.executeTool('kb_search', { args: { query: 'audio engine' } })
console.log(JSON.stringify([answer.ok, answer.data.results.length > 0]))
await toolRegistry.close()
