// `toolgate explain`: the page about findings, in the terminal.
import { readFileSync } from 'node:fs'

import { toolgate } from '../support/command.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const page = readFileSync(new URL('../../docs/diagnostics.md', import.meta.url), 'utf8')

test('a section is shown with the files that its examples are of, and nothing of the next', async () => {
  const { code, stdout, stderr } = await toolgate(['explain', 'bad-semver'], { cwd: temporaryFolder() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`## bad-semver

**Error**

\`version\` is not a semantic version (semver.org, 2.0.0): three numbers, with an optional pre-release
and build. People and stores compare versions; \`1.0\` and \`v1\` have no defined order.

\`schema.json\`:

    { "version": "1.0" }

    error[bad-semver]: \`version\` is \`1.0\`: unexpected end of input while parsing minor version number
      help: write three numbers, such as \`1.0.0\`

**Instead**

\`schema.json\`:

    { "version": "1.0.0" }
`)
})

test('headings of a guide in an example are not the end of a section', async () => {
  const { stdout } = await toolgate(['explain', 'guide-example-json', '--color'], { cwd: temporaryFolder() })
  expect(stdout).toContain('## Examples')
  expect(stdout).toContain('{ "text": "hello" }')
  expect(stdout).toContain('\u001b[')
})

test('without a code all are listed, in the order of the page', async () => {
  const { code, stdout } = await toolgate(['explain'], { cwd: temporaryFolder() })
  const [heading, ...lines] = stdout.trimEnd().split('\n')
  expect({ code, heading }).toEqual({ code: 0, heading: expect.stringMatching(/^CODE +SEVERITY +WHAT IS WRONG$/) })
  const rows = [...page.matchAll(/^\| \[`([^`]+)`\]\([^)]*\) \| (\w+) \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(lines.map(line => line.split(/ {2,}/))).toEqual(rows)
  expect(rows.length).toBeGreaterThan(60)
})

test('the page is in the package', () => {
  const { files } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(files).toContain('docs/diagnostics.md')
})
