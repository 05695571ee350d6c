import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const answer = await toolRegistry.executeTool('start_voice_session', {
  args: {},
  session: { state: { mode: 'voice' } },
})
console.log(JSON.stringify(answer.error.type))
await toolRegistry.close()
