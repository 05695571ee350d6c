// The package alone, with its bound, and with `toolgate-tools` beside it.
import { readFile, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { GREET_TOOL } from '../support/greet-tool.mjs'
import { createProject, packPackage } from './project.mjs'

const MB = 2 ** 20
/** Of a release addon: docs/decisions/030-two-builds.md. The one that is packed here is built for tests. */
const ADDON_BYTES = 16 * MB
const LIMITS = { dependencies: 5, bytes: 30 * MB }
/** Files are kept in blocks of this size. */
const BLOCK = 4096

const CALL = `
import { createRegistry } from 'toolgate'
const registry = await createRegistry().load()
const session = await registry.createSession({ mode: 'text' })
console.log(JSON.stringify((await session.execute({ name: 'greet', args: '{"name":"Ada"}' })).data))
await registry.close()
`
/** What asks for the shipped tools: expressions that reject without them. */
const ASKS = {
  shippedTools: 'toolgate.createRegistry({ artifact: toolgate.shippedTools }).load()',
  toolRegistry: 'toolgate.toolRegistry.load()',
  unified: "import('toolgate/unified').then(unified => unified.executeUnifiedTool('calculate_roi', {}))",
  services: "import('toolgate/tools/_services/embedded.js')",
  handler: "import('toolgate/tools/kb_search/handler.js')",
}

let packed
let tools
const projects = []
const newProject = async options => {
  const project = await createProject({ tarball: packed.tarball, ...options })
  projects.push(project)
  return project
}

beforeAll(async () => {
  packed = await packPackage()
  tools = await packPackage(['-w', 'toolgate-tools'])
})
afterAll(async () => {
  for (const project of projects) await project.remove()
  await packed?.remove()
  await tools?.remove()
})

/** What the files below a folder take on disk, without addons of the package. @returns {Promise<number>} bytes */
async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && !/^toolgate\..*\.node$/.test(entry.name))
  const sizes = await Promise.all(files.map(async file => (await stat(path.join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK) * BLOCK, 0)
}

describe('the package alone', () => {
  let project
  beforeAll(async () => {
    project = await newProject({ files: { 'call.mjs': CALL } })
  })

  test('has few dependencies, and is small', async () => {
    const modules = path.join(project.folder, 'node_modules')
    const manifest = JSON.parse(await readFile(path.join(modules, 'toolgate/package.json'), 'utf8'))
    expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(LIMITS.dependencies)
    expect(await readdir(modules)).not.toContain('toolgate-tools')
    const bytes = (await sizeOf(modules)) + ADDON_BYTES
    expect(bytes).toBeGreaterThan(ADDON_BYTES)
    expect(bytes).toBeLessThanOrEqual(LIMITS.bytes)
  })

  // Before the project has tools, which the process-wide registry would load.
  test.each(Object.entries(ASKS))('says what to install: %s', async (name, expression) => {
    const program = `import * as toolgate from 'toolgate'
      await (${expression}).catch(({ message }) => console.log(message))`
    const said = await project.run(process.execPath, ['--input-type=module', '-e', program])
    // A module of `toolgate-tools` is missing for Node, which names it.
    const advice = ['services', 'handler'].includes(name) ? /'toolgate-tools'/ : /`npm install toolgate-tools`/
    expect(said).toMatch(advice)
    expect(said.trimEnd()).not.toContain('\n')
  })

  test('calls a tool of the project', async () => {
    await project.write({ 'tools/greet/tool.js': GREET_TOOL })
    await project.run('npx', ['toolgate', 'build'])
    expect(await project.run(process.execPath, ['call.mjs'])).toBe('{"text":"Hello Ada"}\n')
  })
})

describe('with `toolgate-tools`', () => {
  let project
  beforeAll(async () => {
    project = await newProject({ dependencies: { 'toolgate-tools': `file:${tools.tarball}` } })
  })
  const run = async program => JSON.parse(await project.run(process.execPath, ['--input-type=module', '-e', program]))

  test('one copy of the package serves both', async () => {
    const names = await readdir(path.join(project.folder, 'node_modules/toolgate-tools'))
    expect(names).toEqual(expect.arrayContaining(['kb_search', 'handlers.mjs', 'tool_registry.json']))
    expect(names).not.toContain('node_modules')
  })

  test('the unified registry runs a shipped tool', async () => {
    const program = `import { executeUnifiedTool } from 'toolgate/unified'
      import { toolRegistry, loadVoicePrompt } from 'toolgate'
      const { success, data } = await executeUnifiedTool('kb_search', { query: 'audio' })
      console.log(JSON.stringify([success, data.results.length > 0, loadVoicePrompt().includes('of this studio')]))
      await toolRegistry.close()`
    expect(await run(program)).toEqual([true, true, true])
  })

  test('the services and handlers have their older paths', async () => {
    const program = `import { createKnowledgeBase } from 'toolgate/tools/_services/knowledge-base.js'
      import { execute } from 'toolgate/tools/kb_search/handler.js'
      import * as own from 'toolgate-tools/_services/knowledge-base.js'
      const kb = await createKnowledgeBase({})
      const context = { args: { query: 'audio', top_k: 2 }, mode: 'text', services: { kb } }
      const { data } = await execute(context)
      console.log(JSON.stringify([data.results.length, own.createKnowledgeBase === createKnowledgeBase]))`
    expect(await run(program)).toEqual([2, true])
  })

  test('each module of `toolgate-tools` has the path of older code', async () => {
    const program = `import { readdirSync, existsSync } from 'node:fs'
      const folder = new URL('node_modules/toolgate-tools/', 'file://' + process.cwd() + '/')
      const services = readdirSync(new URL('_services/', folder)).filter(name => name.endsWith('.js')).map(name => '_services/' + name)
      const handlers = readdirSync(folder).map(name => name + '/handler.js').filter(name => existsSync(new URL(name, folder)))
      const differ = []
      for (const name of [...services, ...handlers]) {
        const [own, older] = [await import('toolgate-tools/' + name), await import('toolgate/tools/' + name)]
        if (Object.keys(own).some(member => own[member] !== older[member])) differ.push(name)
      }
      console.log(JSON.stringify([services.length > 20, handlers.length > 20, differ]))`
    expect(await run(program)).toEqual([true, true, []])
  })
})
