import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const args = { duration_seconds: 60, farewell_message: 'Goodbye.' }
const answer = await toolRegistry.executeTool('ignore_user', {
  args,
  ws: { readyState: 1, send: () => {} },
  session: { isActive: true, state: { mode: 'voice' } },
})
console.log(JSON.stringify([answer.ok, answer.meta.mode]))
await toolRegistry.close()
