// What the guide for authors shows of schemas in code works as shown.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { buildTools } from '../../index.js'
import { project } from '../support/project.mjs'

const readme = readFileSync(new URL('../../tools/README.md', import.meta.url), 'utf8')
const block = (language, begin) =>
  readme
    .split('```')
    .map(text => text.trimStart())
    .find(text => text.startsWith(`${language}\n${begin}`))
    .slice(language.length + 1)

test('the sample in code is the sample in JSON', async () => {
  const { tools, write } = project()
  const [, guide] = /### guide\.md\n\n((?: {4}.*\n|\n)+)/.exec(readme)
  write('tools/say_hello/guide.md', guide.replace(/^ {4}/gm, ''))
  write('tools/say_hello/handler.js', 'export const execute = ({ args }) => ({ ok: true, data: args })\n')
  const built = async (name, text) => {
    write(`tools/say_hello/${name}`, text)
    const report = await buildTools({ toolsDir: tools, outDir: path.join(tools, '..', name) })
    expect(report).toMatchObject({ ok: true, diagnostics: [] })
    const { tools: made } = JSON.parse(readFileSync(path.join(tools, '..', name, 'tool_registry.json'), 'utf8'))
    return made
  }
  const inCode = await built('schema.js', block('js', "import * as z from 'zod'"))
  write('tools/say_hello/schema.js', 'export default {}\n')
  expect(await built('schema.json', block('json', '{\n  "toolId"'))).toEqual(inCode)
})
