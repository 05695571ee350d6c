// `toolgate/mcp`, as TypeScript sees it with the real SDK.
import { createServer } from 'node:http'

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createRegistry } from 'toolgate'
import { createMcpHttpHandler, createMcpServer, type McpHttpHandler, type McpServerOptions } from 'toolgate/mcp'

const registry = createRegistry()
const options: McpServerOptions = {
  session: { mode: 'text', roles: ['admin'], principal: 'user-17' },
  turnGapMs: 0,
  consent: 'client-or-elsewhere',
  consentWaitMs: 20_000,
  consentPlace: 'on the page Approvals',
  info: { name: 'studio' },
}
const server = createMcpServer(registry, options)
void server.connect(new StdioServerTransport())
void serveStdio(() => createMcpServer(registry, options)).close()
void createMcpServer(registry).close()

const handle: McpHttpHandler = createMcpHttpHandler(registry, {
  ...options,
  allowedHosts: ['tools.example'],
  authenticate: () => ({ principal: 'user-17' }),
  authorization: { servers: ['https://login.example'], scopes: ['tools'] },
  onError: error => void error.message,
})
createServer(handle).listen(0)
void createServer((request, response) => void handle(request, response))
void handle.close()

// @ts-expect-error whose tools they are
createMcpServer()
// @ts-expect-error services belong to the registry
createMcpServer(registry, { session: { services: {} } })
// @ts-expect-error HTTP has hosts, one client has none
createMcpServer(registry, { allowedHosts: [] })
// @ts-expect-error milliseconds
createMcpHttpHandler(registry, { turnGapMs: '10s' })
