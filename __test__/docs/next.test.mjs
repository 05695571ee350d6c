// What docs/next.md says of development: the registry's module, as the page has it, sees a new build, and a load that failed is tried
// again. The app itself is built by `__test__/packed/next.test.mjs`.
import path from 'node:path'

import { transform } from 'oxc-transform'

import { runNode } from '../support/command.mjs'
import { filesOfPage } from '../support/page.mjs'
import { project } from '../support/project.mjs'

const TOOL = word => `import { defineTool, success } from 'toolgate'
export default defineTool({
  description: 'Say a word. Use it when the user asks for ${word}.',
  sideEffects: 'none',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  execute: () => success('${word}'),
})
`
/** Asks in the chat before the first build, after it, and after another one. */
const PROGRAM = `
import { writeFileSync } from 'node:fs'
import { buildTools } from 'toolgate'
import { loadTools, openSession } from './lib/toolgate.mjs'

const build = async text => {
  writeFileSync('tools/say_word/tool.js', text)
  await buildTools({ toolsDir: 'tools', outDir: 'tools' })
}
const ask = async () => {
  try {
    return (await (await openSession('chat-1')).execute({ name: 'say_word', args: {} })).data
  } catch (error) {
    return error.code
  }
}
const said = [await ask()]
await build(process.argv[2])
said.push(await ask())
const registry = await loadTools()
const before = registry.getVersion()
await build(process.argv[3])
while (process.env.NODE_ENV === 'development' && registry.getVersion() === before) await new Promise(resolve => setTimeout(resolve, 20))
said.push(await ask())
await registry.close()
console.log(JSON.stringify(said))
`

test.each([
  ['development', 'second'],
  ['production', 'first'],
])('%s: a chat that outlives a build gets the answer of the %s one', async (NODE_ENV, last) => {
  const { home, write } = project()
  const { 'lib/toolgate.ts': source } = filesOfPage('docs/next.md')
  const { code, errors } = await transform('toolgate.ts', source)
  expect(errors).toEqual([])
  write('lib/toolgate.mjs', code)
  write('tools/say_word/tool.js', '')
  write('main.mjs', PROGRAM)
  const words = [path.join(home, 'main.mjs'), TOOL('first'), TOOL('second')]
  const { stdout, stderr, code: exit } = await runNode(words, { cwd: home, env: { NODE_ENV } })
  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  expect(JSON.parse(stdout.trim().split('\n').at(-1))).toEqual(['ARTIFACT_MISSING', 'first', last])
})
