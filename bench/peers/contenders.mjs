// Other ways to take a model's tool call to its function, each through its own public face. All get the arguments' text as a
// provider sends it, and give the function's result as text. What each checks is its own affair; none has a policy.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { tool as langchainTool } from '@langchain/core/tools'
import { RunContext, setTracingDisabled, tool as openaiTool } from '@openai/agents'
import { generateText, stepCountIs, tool as aiTool } from 'ai'
import { z } from 'zod'

/** The arguments of `search_articles`, as its `schema.json` has them. */
const parameters = z.strictObject({
  query: z.string().min(3).max(500),
  collection: z.enum(['help', 'blog', 'policies']).default('help'),
  language: z
    .string()
    .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
    .optional(),
  top_k: z.number().int().min(1).max(10).default(5),
})
const NAME = 'search_articles'
const description = 'Search the help articles by words.'

/** Each makes `executeText` of the function that searches. */
const makers = {
  'openai-agents': search => {
    setTracingDisabled(true)
    // Its own conversion of a Zod schema wants every field required; the text is parsed and checked by the same schema.
    const strict = parameters.extend({ language: parameters.shape.language.unwrap().nullish() })
    const tool = openaiTool({ name: NAME, description, parameters: strict, execute: search })
    const context = new RunContext({})
    return async ({ args }) => asText(await tool.invoke(context, args))
  },
  langchain: search => {
    const tool = langchainTool(search, { name: NAME, description, schema: parameters })
    return async ({ args }) => asText(await tool.invoke(JSON.parse(args)))
  },
  mcp: async search => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' })
    server.registerTool(NAME, { description, inputSchema: parameters }, async args => ({
      content: [{ type: 'text', text: asText(await search(args)) }],
    }))
    const client = new Client({ name: 'bench', version: '1.0.0' })
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(serverSide), client.connect(clientSide)])
    return async ({ args }) => (await client.callTool({ name: NAME, arguments: JSON.parse(args) })).content[0].text
  },
  'ai-sdk': search => {
    const tools = { [NAME]: aiTool({ description, inputSchema: parameters, execute: search }) }
    return async ({ id, args }) => {
      const model = scriptedModel([{ type: 'tool-call', toolCallId: id, toolName: NAME, input: args }], 'tool-calls')
      const { toolResults } = await generateText({ model, tools, prompt: 'search', stopWhen: stepCountIs(1) })
      return asText(toolResults[0].output)
    }
  },
  // The same run in which the model answers at once: what `generateText` takes without a tool's execution.
  'ai-sdk-without': search => {
    const tools = { [NAME]: aiTool({ description, inputSchema: parameters, execute: search }) }
    return async () => {
      const model = scriptedModel([{ type: 'text', text: '{"ok":true}' }], 'stop')
      return (await generateText({ model, tools, prompt: 'search', stopWhen: stepCountIs(1) })).text
    }
  },
}

export const peerNames = Object.keys(makers)

/** @returns {Promise<import('../contenders.mjs').Contender>} */
export async function peerContender(name, { handlers }) {
  const executeText = await makers[name](args => handlers[NAME]({ args }))
  return { name, open: async () => ({ executeText }), close: async () => {} }
}

function asText(result) {
  return typeof result === 'string' ? result : JSON.stringify(result)
}

/** A model on this machine that says one thing. */
function scriptedModel(content, reason) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async () => ({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] }),
  }
}
