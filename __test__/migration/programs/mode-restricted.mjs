import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const answer = await toolRegistry.executeTool('end_voice_session', { args: {}, mode: 'text' })
console.log(JSON.stringify(answer.error.type))
await toolRegistry.close()
