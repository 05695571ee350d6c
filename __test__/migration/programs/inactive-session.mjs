import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const args = { duration_seconds: 60, farewell_message: 'Goodbye.' }
const answer = await toolRegistry.executeTool('ignore_user', { args, session: { isActive: false } })
console.log(JSON.stringify(answer.error.type))
await toolRegistry.close()
