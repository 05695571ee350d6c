// An MCP server for the demo: the lights of a studio, which it keeps in a file. node lights-server.mjs <file>
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const file = path.resolve(process.argv[2])
const room = { type: 'string', enum: ['studio', 'workshop', 'kitchen'], description: 'The room.' }
const brightness = { type: 'integer', minimum: 0, maximum: 100, description: 'In percent; 0 is off.' }
const light = {
  type: 'object',
  properties: { room, brightness },
  required: ['room', 'brightness'],
  additionalProperties: false,
}

const TOOLS = [
  {
    name: 'lights_list',
    title: 'List the lights',
    description: 'Lists the lights of the studio, one in each room, with their brightness.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { lights: { type: 'array', items: light } },
      required: ['lights'],
      additionalProperties: false,
    },
  },
  {
    name: 'lights_set',
    title: 'Set a light',
    description: 'Sets the brightness of the light in a room. 0 switches it off, 100 is as bright as it gets.',
    annotations: { destructiveHint: false, idempotentHint: true },
    inputSchema: light,
    outputSchema: light,
  },
]

/** Brightness by room. @returns {Record<string, number>} */
function stored() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return { studio: 80, workshop: 0, kitchen: 30 }
    throw error
  }
}

/** Both servers of the demo start this program: no one reads half a file. */
function store(lights) {
  mkdirSync(path.dirname(file), { recursive: true })
  const written = `${file}.${process.pid}`
  writeFileSync(written, JSON.stringify(lights))
  renameSync(written, file)
}

const run = {
  lights_list: () => ({
    lights: Object.entries(stored()).map(([name, percent]) => ({ room: name, brightness: percent })),
  }),
  lights_set: args => {
    store({ ...stored(), [args.room]: args.brightness })
    return args
  },
}

serveStdio(() => {
  const server = new Server({ name: 'studio-lights', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const structuredContent = run[params.name](params.arguments)
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
  })
  return server
})
