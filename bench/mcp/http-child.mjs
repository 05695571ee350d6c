// The source of a project, served over HTTP until the parent leaves.
import { createServer } from 'node:http'

import mcp from '../../js/mcp/index.js'
import { POLICY, openRegistry } from './project.mjs'

const registry = await openRegistry(JSON.parse(process.argv[2]))
const handle = mcp.createMcpHttpHandler(registry, { session: { mode: 'text', policy: POLICY } })
const server = createServer(handle).listen(Number(process.argv[3]), '127.0.0.1')
process.once('disconnect', async () => {
  await handle.close()
  server.closeAllConnections()
  server.close()
  await registry.close()
})
