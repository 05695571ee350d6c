// Modules of an older agent make prompts and check arguments while they are imported, before anything is loaded.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildTools, createRegistry } from '../../index.js'
import { EMBEDDED_SERVICES } from '../../js/tool-sets/shipped-tools.js'
import { embeddedServices } from '../../tools/_services/embedded.js'
import { runModule } from '../support/child-process.mjs'
import { temporaryFolder, writeTools } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

function project(tools) {
  const folder = temporaryFolder()
  if (tools !== undefined) writeTools(path.join(folder, 'tools'), tools)
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(ROOT, path.join(folder, 'node_modules', 'toolgate'), 'dir')
  return folder
}

async function run(folder, source) {
  const program = path.join(folder, 'program.mjs')
  writeFileSync(program, source)
  const { stdout, stderr } = await runModule(`await import(${JSON.stringify(program)})`, { cwd: folder })
  return { said: JSON.parse(stdout), stderr }
}

const IMPORTS = `
  import { getToolDocumentation, toolRegistry } from 'toolgate'
  import { executeUnifiedTool, getChatToolDefinitions, validateToolArgs } from 'toolgate/unified'
  import { loadTextPrompt, loadVoicePrompt } from 'toolgate/voice-server/prompt-loader.js'
`

test('the tools of the project are described, checked and then loaded', async () => {
  const folder = project({
    order_find: { kind: 'read', properties: { id: { type: 'string' } }, required: ['id'], requires: ['orders'] },
  })
  await buildTools({ toolsDir: path.join(folder, 'tools') })
  const { said, stderr } = await run(
    folder,
    `${IMPORTS}
    const first = validateToolArgs('order_find', { id: 7, extra: 1 })
    const PROMPT = loadVoicePrompt()
    const version = toolRegistry.getVersion()
    const before = [validateToolArgs('order_find', { id: 'a7' }), validateToolArgs('order', {}), getToolDocumentation('order_find') !== null,
      Object.keys(getChatToolDefinitions('s')), toolRegistry.hidden()]
    await toolRegistry.load({ services: { orders: {} } })
    const after = [validateToolArgs('order_find', { id: 'a7' }), validateToolArgs('order', {}), getToolDocumentation('order_find') !== null,
      Object.keys(getChatToolDefinitions('s')), toolRegistry.hidden()]
    console.log(JSON.stringify({ first, before, after, same: PROMPT === loadVoicePrompt(), sameVersion: version === toolRegistry.getVersion(),
      says: PROMPT.includes('order_find'), runs: await executeUnifiedTool('order_find', { id: 'a7' }) }))
    await toolRegistry.close()`,
  )
  expect(stderr).toBe('')
  expect(said.first).toEqual({ valid: false, error: expect.stringMatching(/^Invalid tool arguments: .*`extra`/s) })
  expect(said.before).toEqual(said.after)
  expect(said).toMatchObject({ same: true, sameVersion: true, says: true, runs: { success: true, data: { id: 'a7' } } })
})

test('so are the shipped tools, with the services that their load gives them', async () => {
  const { said } = await run(
    project(),
    `${IMPORTS}
    const PROMPTS = [loadVoicePrompt(), loadTextPrompt()]
    const valid = validateToolArgs('kb_search', { query: 'audio' }).valid
    await toolRegistry.load()
    console.log(JSON.stringify([valid, PROMPTS[0] === loadVoicePrompt(), PROMPTS[1] === loadTextPrompt()]))
    await toolRegistry.close()`,
  )
  expect(said).toEqual([true, true, true])
  expect(Object.keys(await embeddedServices({ registry: () => null })).sort()).toEqual([...EMBEDDED_SERVICES].sort())
})

test('a load that names another tool set has that one', async () => {
  const folder = project({ order_find: {} })
  await buildTools({ toolsDir: path.join(folder, 'tools') })
  writeTools(path.join(folder, 'others'), { order_cancel: {} })
  const { artifact } = await buildTools({ toolsDir: path.join(folder, 'others') })
  const { said } = await run(
    folder,
    `${IMPORTS}
    const before = [...toolRegistry.tools.keys()]
    await toolRegistry.load({ artifact: ${JSON.stringify(artifact ?? path.join(folder, 'others', 'tool_registry.json'))} })
    console.log(JSON.stringify([before, [...toolRegistry.tools.keys()]]))
    await toolRegistry.close()`,
  )
  expect(said).toEqual([['order_find'], ['order_cancel']])
})

test('what runs calls needs the load, and so does a registry of one’s own', async () => {
  const { said } = await run(
    project(),
    `${IMPORTS}
    toolRegistry.getVersion()
    const message = async run => { try { await run(); return null } catch (error) { return error.message } }
    console.log(JSON.stringify(await Promise.all([() => toolRegistry.executeTool('kb_search'), () => toolRegistry.createSession({ mode: 'text' }),
      () => toolRegistry.getMetrics(), () => toolRegistry.lock()].map(message))))`,
  )
  expect(said).toEqual(Array(4).fill(expect.stringContaining('not loaded')))
  expect(() => createRegistry().getVersion()).toThrow('not loaded')
})
