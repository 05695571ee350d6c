// Programs of MCP clients that do the same: each starts the server, lists the tools, calls them, and prints what it got.
// Each has `command` and `args` of the server, and ends with a line of JSON.

/** Calls of every client, by the tool. */
export const CALLS = { pair: { of: { name: 'a', size: 2 } }, fails: {}, needs_text: {} }

const HEAD = `
const [command, ...args] = JSON.parse(process.argv[2])
const calls = JSON.parse(process.argv[3])
const out = {}
const print = names => console.log(JSON.stringify({ tools: names.sort(), ...out }))
`

const sdk = imports => `
${imports}
${HEAD}
const client = new Client({ name: 'a-client', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args }))
const { tools } = await client.listTools()
for (const [name, given] of Object.entries(calls)) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: given })
  out[name] = isError ? { error: content[0].text } : { data: structuredContent }
}
print(tools.map(({ name }) => name))
await client.close()
`

export const SDK_1 = sdk(`
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'`)

export const SDK_2 = sdk(`
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'`)

export const AI_SDK = `
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
${HEAD}
const client = await createMCPClient({ transport: new StdioTransport({ command, args }) })
const tools = await client.tools()
for (const [name, given] of Object.entries(calls)) {
  const { isError, structuredContent, content } = await tools[name].execute(given, { toolCallId: 'call_1', messages: [] })
  out[name] = isError ? { error: content[0].text } : { data: structuredContent }
}
print(Object.keys(tools))
await client.close()
`

/** LangChain puts the structured content beside the text, and throws for an error. */
export const LANGCHAIN = `
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
${HEAD}
const client = new MultiServerMCPClient({ mcpServers: { gate: { transport: 'stdio', command, args } } })
const tools = await client.getTools()
for (const [name, given] of Object.entries(calls)) {
  const tool = tools.find(tool => tool.name === name)
  const call = { id: 'call_1', name, args: given, type: 'tool_call' }
  out[name] = await tool.invoke(call).then(
    message => ({ data: JSON.parse([message.content].flat().map(part => part.text ?? part).join('')).structuredContent }),
    error => ({ error: error.message }),
  )
}
print(tools.map(({ name }) => name))
await client.close()
`

const PYTHON_HEAD = `
import asyncio, json, sys
command, *arguments = json.loads(sys.argv[1])
calls = json.loads(sys.argv[2])
`

export const PYTHON_MCP = `
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
${PYTHON_HEAD}
async def main():
    out = {}
    async with stdio_client(StdioServerParameters(command=command, args=arguments)) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            listed = await session.list_tools()
            for name, given in calls.items():
                result = (await session.call_tool(name, given)).model_dump(by_alias=True)
                text = result['content'][0]['text']
                out[name] = {'error': text} if result['isError'] else {'data': result['structuredContent']}
            print(json.dumps({'tools': sorted(tool.name for tool in listed.tools), **out}))
asyncio.run(main())
`

export const FASTMCP = `
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
${PYTHON_HEAD}
async def main():
    out = {}
    async with Client(StdioTransport(command=command, args=arguments)) as client:
        tools = await client.list_tools()
        for name, given in calls.items():
            result = await client.call_tool(name, given, raise_on_error=False)
            out[name] = {'error': result.content[0].text} if result.is_error else {'data': result.structured_content}
        print(json.dumps({'tools': sorted(tool.name for tool in tools), **out}))
asyncio.run(main())
`
