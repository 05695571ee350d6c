import { toolRegistry } from 'toolgate/tools/_core/registry.js'
const lines = []
await toolRegistry.load({ services: {}, onLog: line => lines.push(line) })
const said = lines.filter(({ tools }) => tools?.includes('kb_search (kb)'))
console.log(JSON.stringify(said.map(({ level }) => level)))
await toolRegistry.close()
