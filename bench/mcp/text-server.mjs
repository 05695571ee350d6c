// The MCP server of the benchmark, a program: `read` answers with a text of as many bytes as it is asked for.
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const integer = { type: 'integer', minimum: 0 }
const READ = {
  name: 'read',
  description: 'Reads a text.',
  inputSchema: { type: 'object', properties: { bytes: integer, at: integer }, required: ['bytes', 'at'] },
}
const LINE = 'A line of a text, with "quotes" and a tab\tin it.\n'

serveStdio(() => {
  const server = new Server({ name: 'texts', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [READ] }))
  server.setRequestHandler('tools/call', ({ params: { arguments: args } }) => {
    const text = `${args.at}: ${LINE.repeat(Math.ceil(args.bytes / LINE.length))}`.slice(0, args.bytes)
    return { content: [{ type: 'text', text }] }
  })
  return server
})
