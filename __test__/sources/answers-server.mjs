// An MCP server over stdio whose tools and answers are in a file, which a test may rewrite: node answers-server.mjs <file>
// The file has, by name, a tool's definition and the result of its calls.
import { appendFileSync, readFileSync, watchFile } from 'node:fs'

import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const [, , file] = process.argv
const tools = () => Object.entries(JSON.parse(readFileSync(file, 'utf8')))

if (process.env.PIDS !== undefined) appendFileSync(process.env.PIDS, `${process.pid}\n`)
serveStdio(() => {
  const server = new Server({ name: 'answers', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  // The SDK's own handlers would refuse what a server of another SDK sends.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method === 'tools/list') return { tools: tools().map(([name, { definition }]) => ({ name, ...definition })) }
    if (process.env.EFFECTS !== undefined) appendFileSync(process.env.EFFECTS, 'called\n')
    return new Map(tools()).get(params.name).result
  }
  watchFile(file, { interval: 20 }, () => server.sendToolListChanged().catch(() => {})).unref()
  return server
})
