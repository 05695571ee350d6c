import { createStateController } from 'toolgate/tools/_core/state-controller.js'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const args = { duration_seconds: 60, farewell_message: 'Goodbye.' }
const state = createStateController({ mode: 'voice', isActive: false })
const answer = await toolRegistry.executeTool('ignore_user', { args, session: { state } })
console.log(JSON.stringify(answer.error.type))
await toolRegistry.close()
