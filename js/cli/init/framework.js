'use strict'

// The framework of a project, from its dependencies, and what a project of this kind does next.

/**
 * @typedef {{ name: string, packages: string[], next: string[], config?: { names: string[], file: string, text: string,
 *   line: string } }} Framework `config`: the file that must name toolgate: its possible `names`, the `file` and `text`
 *   to write if none exists, the `line` to add if one does
 */

/** The first one whose package the project has; those that others build on are last. @type {Framework[]} */
const FRAMEWORKS = [
  {
    name: 'Next.js',
    packages: ['next'],
    next: ['the route and the page are in docs/next.md of the package'],
    config: {
      names: ['next.config.mjs', 'next.config.js', 'next.config.ts', 'next.config.mts'],
      file: 'next.config.mjs',
      text: "import { withToolgate } from 'toolgate/next'\n\nexport default withToolgate({})\n",
      line: "add `import { withToolgate } from 'toolgate/next'`, and end it with `export default withToolgate(nextConfig)`",
    },
  },
  {
    name: 'the OpenAI Agents SDK',
    packages: ['@openai/agents', '@openai/agents-core'],
    next: ["`new Agent({ tools: toAgentTools(session) })`, from 'toolgate/openai-agents'"],
  },
  {
    name: 'Mastra',
    packages: ['@mastra/core'],
    next: ["`new Agent({ tools: toMastraTools(session) })`, from 'toolgate/mastra'"],
  },
  {
    name: 'the Agent Development Kit',
    packages: ['@google/adk'],
    next: ["`new LlmAgent({ tools: toAdkTools(session) })`, from 'toolgate/adk'"],
  },
  {
    name: 'Genkit',
    packages: ['genkit'],
    next: ["`ai.generate({ tools: toGenkitTools(session) })`, from 'toolgate/genkit'"],
  },
  {
    name: 'LiveKit Agents',
    packages: ['@livekit/agents'],
    next: ["`new voice.Agent({ tools: toLiveKitTools(session, { tool: llm.tool }) })`, from 'toolgate/livekit'"],
  },
  {
    name: 'LangChain',
    packages: ['langchain', '@langchain/langgraph', '@langchain/core'],
    next: ["`createAgent({ tools: toLangChainTools(session) })`, from 'toolgate/langchain'"],
  },
  {
    name: 'the AI SDK',
    packages: ['ai'],
    next: ["`streamText({ tools: toAiSdkTools(session) })`, from 'toolgate/ai-sdk'"],
  },
  { name: 'Express', packages: ['express'], next: [] },
  { name: 'Fastify', packages: ['fastify'], next: [] },
  { name: 'Hono', packages: ['hono'], next: [] },
]

/** What any project does with its session. */
const CALL = '`(await createRegistry().load()).createSession({ mode })`, then `session.execute({ name, args })`'

/** @param {import('../../shared-types.js').JsonObject} manifest package.json @returns {Framework | null} */
function frameworkOf({ dependencies = {}, devDependencies = {} }) {
  const installed = { ...devDependencies, ...dependencies }
  return FRAMEWORKS.find(({ packages }) => packages.some(name => Object.hasOwn(installed, name))) ?? null
}

module.exports = { CALL, frameworkOf }
