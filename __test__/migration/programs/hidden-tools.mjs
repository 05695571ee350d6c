import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
console.log(JSON.stringify(toolRegistry.hidden()))
await toolRegistry.close()
