import { getToolDocumentation, loadTextPrompt, loadVoicePrompt } from 'toolgate/voice-server/prompt-loader.js'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
console.log(
  JSON.stringify([
    loadVoicePrompt().includes('# How you speak'),
    loadTextPrompt().includes('**kb_search**'),
    getToolDocumentation('kb_search').startsWith('# kb_search'),
  ]),
)
await toolRegistry.close()
