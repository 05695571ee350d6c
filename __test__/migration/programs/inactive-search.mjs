import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const answer = await toolRegistry.executeTool('kb_search', { args: { query: 'audio' }, session: { isActive: false } })
console.log(JSON.stringify(answer.ok))
await toolRegistry.close()
