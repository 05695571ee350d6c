// `toolgate watch`: what it says after each change, and what it lives through.
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { startToolgate, toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'
import { afterTest, writeTools } from '../support/tool-set.mjs'

/** How long a line may take on a machine under load. */
const PATIENCE_MS = 60_000

/** A running watch over a project; `said(pattern)` waits for what it prints next, and forgets what came before. */
async function watching(given, words = []) {
  const made = project(given)
  const child = startToolgate(['watch', ...words], { cwd: made.home })
  afterTest(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  let heard = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      heard += text
      child.emit('heard')
    })
  }
  const said = async pattern => {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    for (
      let found;
      ;
      await once(child, 'heard', { signal }).catch(() => {
        throw new Error(`never said ${pattern}, but: ${heard}`)
      })
    ) {
      found = pattern.exec(heard)
      if (found === null) continue
      heard = heard.slice(found.index + found[0].length)
      return found
    }
  }
  const file = name => path.join(made.home, name)
  await said(/watching .*\n/)
  return { ...made, child, said, file }
}

const edit = (file, change) => writeFileSync(file, change(readFileSync(file, 'utf8')))

test('each change is named with the tool and the part, and Ctrl-C ends it with 0', async () => {
  const { child, said, file, tools } = await watching({ tools: { echo: {}, note: { kind: 'write' } } })
  edit(file('tools/echo/guide.md'), text => text.replace('Serves', 'Really serves'))
  await said(/built 2 tools in \d+ ms, version .*\n {2}~ echo 1\.0\.0 {2}guide\n/)
  edit(file('tools/echo/schema.json'), text => text.replace('1.0.0', '1.1.0').replace('600000', '600001'))
  await said(/ {2}~ echo 1\.0\.0 → 1\.1\.0 {2}latencyBudgetMs\n/)
  edit(file('tools/note/handler.js'), text => `${text}// changed\n`)
  await said(/ {2}~ note 1\.0\.0 {2}code\n/)
  writeTools(tools, { third: {} })
  await said(/ {2}\+ third 1\.0\.0\n/)
  rmSync(file('tools/note'), { recursive: true })
  await said(/ {2}- note 1\.0\.0\n/)
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})

test('findings are shown, the last good tool set stays, and a correction is built', async () => {
  const { said, file } = await watching({ tools: { echo: {} } })
  const good = readFileSync(file('tools/echo/schema.json'), 'utf8')
  const artifact = readFileSync(file('tools/tool_registry.json'), 'utf8')
  writeFileSync(file('tools/echo/schema.json'), good.replace('"utility"', '"utlity"'))
  await said(/error\[bad-enum\](.|\n)*1 error; the last good tool set is untouched\n/)
  expect(readFileSync(file('tools/tool_registry.json'), 'utf8')).toBe(artifact)
  // As editors save: a new file in the old one's place.
  writeFileSync(file('tools/echo/.schema.json.swp'), good.replace('A tool', 'The tool'))
  renameSync(file('tools/echo/.schema.json.swp'), file('tools/echo/schema.json'))
  await said(/ {2}~ echo 1\.0\.0 {2}description\n/)
})

test('folders that are renamed, and a tools folder that goes and comes back', async () => {
  const { said, file, tools } = await watching({ tools: { echo: {} } })
  renameSync(file('tools/echo'), file('tools/other'))
  await said(/error\[bad-tool-id\](.|\n)*1 error;.*\n/)
  edit(file('tools/other/schema.json'), text => text.replace('"echo"', '"other"'))
  await said(/ {2}- echo 1\.0\.0\n {2}\+ other 1\.0\.0\n/)
  renameSync(tools, file('aside'))
  await said(/error\[missing-file\](.|\n)*1 error;.*\n/)
  renameSync(file('aside'), tools)
  await said(/built 1 tool in/)
  edit(file('tools/other/handler.js'), text => `${text}// changed\n`)
  await said(/ {2}~ other 1\.0\.0 {2}code\n/)
  cpSync(tools, file('copy'), { recursive: true })
  rmSync(tools, { recursive: true })
  await said(/1 error;/)
  mkdirSync(tools)
  cpSync(file('copy'), tools, { recursive: true })
  await said(/built 1 tool in/)
  edit(file('tools/other/guide.md'), text => text.replace('Serves', 'Still serves'))
  await said(/ {2}~ other 1\.0\.0 {2}guide\n/)
})

test('a schema in code and what it imports, also from outside the tools folder', async () => {
  const { said, file, write } = await watching({ tools: { echo: {} } })
  const parameters = '{ type: "object", additionalProperties: false, properties: {}, description }'
  const { parameters: _, ...fields } = JSON.parse(readFileSync(file('tools/echo/schema.json'), 'utf8'))
  write('shared/words.js', "export { description } from './deeper.js'\n")
  write('shared/deeper.js', "export const description = 'one'\n")
  unlinkSync(file('tools/echo/schema.json'))
  write(
    'tools/echo/schema.js',
    `import { description } from '../../shared/words.js'\nexport default { ...${JSON.stringify(fields)}, parameters: ${parameters} }\n`,
  )
  await said(/ {2}~ echo 1\.0\.0 {2}parameters, code\n/)
  write('shared/deeper.js', "export const description = 'two'\n")
  await said(/ {2}~ echo 1\.0\.0 {2}parameters\n/)
  write('shared/deeper.js', "throw new Error('broken')\nexport const description = 'never'\n")
  await said(/error\[schema-module\].*broken/)
  write('shared/deeper.js', "export const description = 'three'\n")
  await said(/ {2}~ echo 1\.0\.0 {2}parameters\n/)
})

test('it does not wake itself, and what changes nothing is not told', async () => {
  const { child, said, file } = await watching({ tools: { echo: {} } })
  // Its own outputs, rewritten by another process: not a source.
  await toolgate(['build'], { cwd: path.dirname(file('tools')) })
  writeFileSync(file('tools/echo/.hidden'), 'x')
  writeFileSync(file('tools/echo/notes.txt'), 'builds, and finds nothing new')
  edit(file('tools/echo/handler.js'), text => `${text}// changed\n`)
  const { index } = await said(/\d\d:\d\d:\d\d built 1 tool in/)
  expect(index).toBe(0)
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})
