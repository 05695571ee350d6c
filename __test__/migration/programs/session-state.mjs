import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const session = await toolRegistry.createSession({ mode: 'text', state: { isActive: true, topic: 'tea' } })
console.log(JSON.stringify([session.state.get('isActive'), session.state.snapshot().topic]))
await toolRegistry.close()
