import { createRegistry } from 'toolgate'
import { toAiSdkTools } from 'toolgate/ai-sdk'
const registry = await createRegistry({ services: { kb: {} } }).load()
const tools = roles =>
  registry.createSession({ mode: 'text', roles }).then(session => Object.keys(toAiSdkTools(session)))
const names = await tools([])
console.log(JSON.stringify([names.includes('kb_search'), names.includes('calendar_create_event')]))
await registry.close()
