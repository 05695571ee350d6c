import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const tool = toolRegistry.tools.get('kb_search')
console.log(
  JSON.stringify([
    tool.providerSchemas.openai.function.name,
    tool.documentation === toolRegistry.getDocumentation('kb_search'),
  ]),
)
await toolRegistry.close()
