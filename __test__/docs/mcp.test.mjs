// What docs/mcp.md shows works: the configuration of a client, and the server in a program of the host's.
import { spawn } from 'node:child_process'
import { readFile, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { connectClient } from '../mcp/support.mjs'
import { MAIN } from '../support/command.mjs'
import { eventually } from '../support/gate.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const page = readFile(path.join(ROOT, 'docs', 'mcp.md'), 'utf8')
const SERVICES = '{ search: async () => [], get: async () => null }'

test('a client starts the server by the configuration', async () => {
  const { home, write } = project()
  write('services.mjs', `export default { kb: ${SERVICES} }\n`)
  const { command, args } = JSON.parse(/```json\n([^]*?)```/.exec(await page)[1]).mcpServers.studio
  expect([command, args[0]]).toEqual(['npx', 'toolgate'])
  const own = {
    '/home/ada/studio/tools': path.join(ROOT, 'tools'),
    '/home/ada/studio/services.mjs': path.join(home, 'services.mjs'),
  }
  const words = args.slice(1).map(word => own[word] ?? word)
  const { client } = await connectClient(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, ...words], cwd: '/', stderr: 'ignore' }),
  )
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('kb_search')
})

test("a server of the host's serves clients", async () => {
  const { home, write } = project()
  const codes = [...(await page).matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code)
  const code = codes.find(text => text.includes('.listen(8789)'))
  write(
    'server.mjs',
    `const myKnowledgeBase = ${SERVICES}\n${code.replace('.listen(8789)', ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })")}`,
  )
  await rm(path.join(home, 'tools'), { recursive: true })
  await symlink(path.join(ROOT, 'tools'), path.join(home, 'tools'), 'dir')
  const child = spawn(process.execPath, ['server.mjs'], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] })
  afterTest(() => child.kill('SIGKILL'))
  let port = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    port += text
  })
  await eventually(() => port.endsWith('\n'), 'a port')
  const { client } = await connectClient(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port.trim()}/mcp`)),
  )
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('kb_search')
})
