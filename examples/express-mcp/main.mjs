// The tools for MCP clients, in an Express server. `node main.mjs serve` goes on serving; without it a client makes three calls.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import express from 'express'
import { createRegistry } from 'toolgate'
import { createMcpHttpHandler } from 'toolgate/mcp'

const registry = await createRegistry({ audit: 'none' }).load()
const tools = createMcpHttpHandler(registry)

const app = express()
app.get('/healthz', (_request, response) => response.json({ ok: true }))
app.all('/mcp', tools)
const isServing = process.argv[2] === 'serve'
const server = app.listen(isServing ? 8789 : 0, '127.0.0.1', () => isServing || useTools().finally(close))

async function useTools() {
  const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`)
  const client = new Client(
    { name: 'example', version: '0.1.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => {
    console.log(`question: ${params.message.split('\n')[0]}`)
    return { action: 'accept', content: {} }
  })
  await client.connect(new StreamableHTTPClientTransport(url))
  const { tools: listed } = await client.listTools()
  console.log(`tools: ${listed.map(({ name }) => name).join(', ')}`)
  await call('find_order', { number: 'A-17' })
  await call('find_order', { order: 17 })
  await call('cancel_order', { number: 'A-17' })
  await client.close()

  async function call(name, args) {
    const { content } = await client.callTool({ name, arguments: args })
    const { ok, data, error } = JSON.parse(content[0].text)
    console.log(`${name}: ${ok ? JSON.stringify(data) : error.type}`)
  }
}

async function close() {
  await tools.close()
  server.close()
  await registry.close()
}
