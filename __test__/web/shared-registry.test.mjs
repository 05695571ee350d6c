// The registry of a web app's process: one for all modules, loaded again after a failure, watched in development.
import path from 'node:path'

import { runNode } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const TOOL = word => `import { defineTool, success } from 'toolgate'
export default defineTool({
  description: 'Say a word. Use it when the user asks for ${word}.',
  sideEffects: 'none',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  execute: () => success('${word}'),
})
`
/** Asks before the first build, after it, and after another one. Each question comes from a module that was loaded again. */
const PROGRAM = `
import { writeFileSync } from 'node:fs'
import { buildTools } from 'toolgate'

const build = async text => {
  writeFileSync('tools/say_word/tool.js', text)
  await buildTools({ toolsDir: 'tools', outDir: 'tools' })
}
const registries = new Set()
let loads = 0
const ask = async () => {
  const { load } = await import('./app.mjs?' + loads++)
  try {
    const registry = await load()
    registries.add(registry)
    const session = await registry.createSession({ mode: 'text' })
    return (await session.execute({ name: 'say_word', args: {} })).data
  } catch (error) {
    return error.code
  }
}
const said = [await ask()]
await build(process.argv[2])
said.push(...(await Promise.all([ask(), ask()])))
const [registry] = registries
const changed = new Promise(resolve => registry.watch(resolve))
await build(process.argv[3])
if (process.env.NODE_ENV === 'development') await changed
said.push(await ask())
await registry.close()
console.log(JSON.stringify({ said, registries: registries.size }))
`

test.each([
  ['development', 'second'],
  ['production', 'first'],
])('%s: a build after the load gives the answer of the %s one', async (NODE_ENV, last) => {
  const { home, write } = project()
  write(
    'app.mjs',
    "import { sharedRegistry } from 'toolgate/web'\nexport const load = sharedRegistry({ audit: 'none' })\n",
  )
  write('tools/say_word/tool.js', '')
  write('main.mjs', PROGRAM)
  const words = [path.join(home, 'main.mjs'), TOOL('first'), TOOL('second')]
  const { stdout, stderr, code } = await runNode(words, { cwd: home, env: { NODE_ENV } })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const answer = JSON.parse(stdout.trim().split('\n').at(-1))
  expect(answer).toEqual({ said: ['ARTIFACT_MISSING', 'first', 'first', last], registries: 1 })
})
