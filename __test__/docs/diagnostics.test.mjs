// The page about findings: examples with a schema in code, which only JavaScript loads. The others are held by
// tests/compile/pages/.
import { createRequire } from 'node:module'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const { readFindingsPage } = createRequire(import.meta.url)('../../js/cli/findings-page.js')

const BLOCK = /^(`{3,})\w+ ?(\S*)\n([^]*?)^\1$/gm
const CODES = ['field-in-both', 'schema-code-lost', 'schema-module', 'schema-not-convertible', 'schema-not-stable']

/** The blocks of a section: what is wrong, what is printed, what is right. */
function examples(section) {
  const [wrong, right] = section
    .split('\n**Instead**\n')
    .map(part => Object.fromEntries([...part.matchAll(BLOCK)].map(([, , place, text]) => [place, text])))
  const { '': printed, ...files } = wrong
  return { wrong: files, printed: printed.trim().split(/\s+/).join(' '), right }
}

/** What a tool gives whose `schema.json` has all fields but those of its module; its guide names the usual parameters. */
async function findings(files) {
  const { home, tools, write } = project({ tools: { echo: {} } })
  const { schema, guide } = base()
  write('tools/echo/schema.json', JSON.stringify({ ...schema, ...JSON.parse(files['schema.json'] ?? '{}') }))
  write('tools/echo/guide.md', guide)
  write('tools/echo/schema.js', files['schema.js'])
  const { stdout } = await toolgate(['check', tools, '--json'], { cwd: home })
  return JSON.parse(stdout).diagnostics
}

const base = () => ({
  schema: {
    toolId: 'echo',
    version: '1.0.0',
    description: 'Say it again.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    latencyBudgetMs: 50,
    lintAccepted: ['parameter-undocumented', 'lowering-lost'],
  },
  guide: '# echo\n\nSay it again.\n',
})

test.each(CODES)('%s: the example gives what is printed, its corrected form does not', async code => {
  const { wrong, printed, right } = examples(readFindingsPage().sections.get(code))
  const [found, corrected] = await Promise.all([findings(wrong), findings(right)])
  const told = found
    .filter(one => one.code === code)
    .map(one => `${one.severity}[${one.code}]: ${one.message} help: ${one.help}`)
  expect(told).toEqual([printed])
  // What the base acknowledges for some of the examples is not there in all.
  expect(corrected.map(one => one.code).filter(one => one !== 'lint-unused')).toEqual([])
})
