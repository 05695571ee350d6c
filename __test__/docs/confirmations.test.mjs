// docs/confirmations.md: its tool builds without a finding, and its programs print what their comments say.
import path from 'node:path'

import { buildTools } from '../../index.js'
import { runNode } from '../support/command.mjs'
import { blockWith, printedIn } from '../support/page.mjs'
import { project } from '../support/project.mjs'

const PAGE = 'docs/confirmations.md'

test('the program asks, is confirmed, runs the call once, and another one as its user changed it', async () => {
  const { home, tools, write } = project()
  write('tools/refund_order/tool.mjs', blockWith(PAGE, 'defineTool({'))
  const { ok, diagnostics } = await buildTools({ toolsDir: tools, outDir: tools })
  expect({ ok, diagnostics }).toEqual({ ok: true, diagnostics: [] })
  // The second block goes on where the first has closed its registry.
  const [first, changes] = ['session.listPending()', 'refused.error.details'].map(words => blockWith(PAGE, words))
  const program = first.replace('await registry.close()\n', `{\n${changes}\n}\nawait registry.close()\n`)
  write('main.mjs', program)
  const ran = await runNode([path.join(home, 'main.mjs')], { cwd: home })
  expect(ran).toEqual({ code: 0, signal: null, stdout: `${printedIn(program).join('\n')}\n`, stderr: '' })
})

test('the user answers by a link', async () => {
  const { home, tools, write } = project()
  write('tools/refund_order/tool.mjs', blockWith(PAGE, 'defineTool({'))
  const { ok, diagnostics } = await buildTools({ toolsDir: tools, outDir: tools })
  expect({ ok, diagnostics }).toEqual({ ok: true, diagnostics: [] })
  const program = blockWith(PAGE, "from 'toolgate/web'")
  write('main.mjs', program)
  const ran = await runNode([path.join(home, 'main.mjs')], { cwd: home })
  const [decided, pending, ...others] = printedIn(program)
  expect(ran).toEqual({
    code: 0,
    signal: null,
    stdout: `${[pending, decided, ...others].join('\n')}\n`,
    stderr: '',
  })
})

test('the user grants later calls with a confirmation, and ends that', async () => {
  const { home, tools, write } = project()
  const tool = blockWith(PAGE, 'defineTool({').replace('confirmation: {', "confirmation: { grantable: 'args',")
  write('tools/refund_order/tool.mjs', tool)
  const { ok, diagnostics } = await buildTools({ toolsDir: tools, outDir: tools })
  expect({ ok, diagnostics }).toEqual({ ok: true, diagnostics: [] })
  const [asking] = blockWith(PAGE, 'session.listPending()').split('console.log')
  const program = blockWith(PAGE, 'session.grants()')
  write('main.mjs', `${asking}\n${program}\nawait registry.close()\n`)
  const ran = await runNode([path.join(home, 'main.mjs')], { cwd: home })
  expect(ran).toEqual({ code: 0, signal: null, stdout: `${printedIn(program).join('\n')}\n`, stderr: '' })
})
