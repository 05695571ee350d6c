import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const answer = await toolRegistry.executeTool('kb_search', {
  args: { query: 'audio', top_k: 9 },
  session: { mode: 'voice' },
})
console.log(JSON.stringify([answer.meta.mode, answer.meta.clamped.length]))
await toolRegistry.close()
