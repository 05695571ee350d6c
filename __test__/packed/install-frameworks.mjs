// The frameworks that the pages, the examples and the adapters' newest versions need, in one folder that all of these suites share: an
// install takes longer than what is then tested.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { endsOf, installPeers } from '../peers/install.mjs'

export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))

/** The packages of each page in docs/frameworks, by what is tested; the page's `npm install` names them. */
export const PAGES = {
  'the AI SDK 6': ['ai-sdk', { ai: '^6.0.202', '@ai-sdk/openai': '^3.0.0' }],
  'the OpenAI SDK': ['openai', { openai: '^7.0.0' }],
  'the Anthropic SDK': ['anthropic', { '@anthropic-ai/sdk': '^1.0.0' }],
  'the Gemini SDK': ['gemini', { '@google/genai': '^2.0.0' }],
  'the OpenAI Agents SDK': ['openai-agents', { '@openai/agents': '>=0.14.0 <1' }],
  LangChain: [
    'langchain',
    {
      langchain: '^1.5.0',
      '@langchain/core': '^1.4.0',
      '@langchain/langgraph': '^1.7.0',
      '@langchain/openai': '^1.6.0',
    },
  ],
  'the Agent Development Kit': ['adk', { '@google/adk': '^2.0.0' }],
  Mastra: ['mastra', { '@mastra/core': '^1.68.0', '@ai-sdk/openai': '^3.0.0' }],
  Genkit: ['genkit', { genkit: '^1.42.0', '@genkit-ai/compat-oai': '^1.42.0' }],
  'LiveKit Agents': [
    'livekit',
    { '@livekit/agents': '^1.9.0', '@livekit/agents-plugin-openai': '^1.9.0', '@livekit/rtc-node': '^0.13.34' },
  ],
}

/** The examples that examples.test.mjs plays. */
export const PLAYED_EXAMPLES = [
  ...['openai-agents', 'langgraph', 'mastra', 'adk', 'genkit', 'livekit'],
  ...['voice-gemini', 'confirmation-link', 'express-mcp', 'bullmq'],
]
const ADAPTERS = ['genkit', '@google/adk', '@livekit/agents', '@mastra/core']
/** What the suites install from their tarballs. */
const OWN = ['toolgate', 'toolgate-simulator']

/** @returns {Promise<string>} a folder whose `node_modules` has them */
export async function installFrameworks() {
  const manifests = await Promise.all(
    PLAYED_EXAMPLES.map(async name => JSON.parse(await readFile(path.join(EXAMPLES, name, 'package.json'), 'utf8'))),
  )
  const dependencies = [
    ...manifests.map(manifest => manifest.dependencies),
    ...Object.values(PAGES).map(([, packages]) => packages),
    endsOf(ADAPTERS).newest,
  ].flatMap(Object.entries)
  return installPeers(Object.fromEntries(dependencies.filter(([name]) => !OWN.includes(name))))
}
