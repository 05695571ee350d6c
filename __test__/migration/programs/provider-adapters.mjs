import { toGeminiNative } from 'toolgate/tools/_build/provider-adapters/gemini-native.js'
import { toOpenAI } from 'toolgate/tools/_build/provider-adapters/openai.js'
const tool = {
  name: 'echo',
  description: 'Echo.',
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
}
console.log(JSON.stringify([toOpenAI(tool).function.name, toGeminiNative(tool).parameters.properties.n.type]))
