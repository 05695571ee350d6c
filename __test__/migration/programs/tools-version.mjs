import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const context = { args: { query: 'audio' }, session: { toolsVersion: '1.0.00000000' } }
const error = await toolRegistry.executeTool('kb_search', context).catch(error => error)
console.log(JSON.stringify([error.name, error.expected]))
await toolRegistry.close()
