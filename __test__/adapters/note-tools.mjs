// A small tool set, built by the real compiler into a folder of its own, and a session over it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import toolgate from '../../index.js'

const text = description => ({ type: 'string', minLength: 1, description })

const TOOLS = [
  {
    toolId: 'find_note',
    description: 'Finds notes by words.',
    category: 'retrieval',
    sideEffects: 'read_only',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text', 'voice'],
    properties: {
      query: text('The words.'),
      limit: { type: 'integer', minimum: 1, default: 2, description: 'How many.' },
    },
    required: ['query'],
  },
  {
    toolId: 'wait_for_note',
    background: true,
    description: 'Waits until a note arrives.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    properties: {},
    required: [],
  },
  {
    toolId: 'send_note',
    description: 'Sends a note.',
    category: 'action',
    sideEffects: 'writes',
    idempotent: false,
    requiresConfirmation: true,
    allowedModes: ['text'],
    properties: { to: text('Who gets it.') },
    required: ['to'],
  },
  {
    toolId: 'read_mail',
    description: 'Reads mail.',
    category: 'retrieval',
    sideEffects: 'read_only',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    requires: ['mail'],
    properties: {},
    required: [],
  },
  {
    toolId: 'hang_up',
    description: 'Ends the voice session.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['voice'],
    properties: {},
    required: [],
  },
]

/**
 * A session in text mode over the tools, its calls recorded: `ran` lists what handlers got. `toolsDir`: the sources. `close()` removes everything.
 *
 * @param {Record<string, Function>} [handlers] handlers instead of the ones that answer with their arguments
 * @param {object} [sending] more fields of the schema of `send_note`
 */
export async function openNotes(handlers = {}, sending = {}) {
  const toolsDir = await mkdtemp(join(tmpdir(), 'toolgate-notes-'))
  for (const tool of TOOLS) await writeTool(toolsDir, tool.toolId === 'send_note' ? { ...tool, ...sending } : tool)
  const report = await toolgate.buildTools({ toolsDir })
  if (!report.ok) throw new Error(toolgate.formatReport(report))

  const ran = []
  const record = (toolId, execute) => context => {
    ran.push({ toolId, args: context.args })
    return execute ? execute(context) : { ok: true, data: { echo: context.args } }
  }
  const registry = toolgate.createRegistry({
    artifact: join(toolsDir, 'tool_registry.json'),
    handlers: Object.fromEntries(TOOLS.map(({ toolId }) => [toolId, record(toolId, handlers[toolId])])),
    audit: 'none',
  })
  await registry.load()
  const session = await registry.createSession({ sessionId: crypto.randomUUID(), mode: 'text' })
  const close = async () => {
    await registry.close()
    await rm(toolsDir, { recursive: true })
  }
  return { registry, session, ran, toolsDir, close }
}

async function writeTool(toolsDir, { properties, required, ...identity }) {
  const parameters = { type: 'object', additionalProperties: false, properties, required }
  const schema = { version: '1.0.0', latencyBudgetMs: 500, ...identity, parameters }
  const names = Object.keys(properties).map(name => `- \`${name}\`: ${properties[name].description}`)
  const guide = `# ${identity.toolId}\n\n${identity.description}\n\n## Parameters\n\n${names.join('\n') || 'None.'}\n\n## Examples\n`
  const folder = join(toolsDir, identity.toolId)
  await mkdir(folder)
  await writeFile(join(folder, 'schema.json'), JSON.stringify(schema, null, 2))
  await writeFile(join(folder, 'guide.md'), guide)
  await writeFile(join(folder, 'handler.js'), 'export const execute = () => ({ ok: true })\n')
}
