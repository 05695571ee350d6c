// What a standalone output of Next.js needs: `withToolgate` finds what the tools import, and `toolgate doctor` says what would be missing.
import { rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { runModule } from '../support/child-process.mjs'
import { project } from '../support/project.mjs'

const { importsOf } = createRequire(import.meta.url)('../../js/operations/source-imports.js')

const TOOL = `import type { Invoice } from 'only-types'
import { defineTool, success } from 'toolgate'
import { z } from 'zod/mini'
import { rows } from '../../lib/rows.js'
export default defineTool({ description: 'List the rows. Use it to see them.', sideEffects: 'none',
  parameters: z.object({}), execute: async () => success({ rows: rows(), pdf: await import("lazy-pdf") }) })
`

/** A Next.js project with a tool, a file outside of the tools folder, and packages that depend on others. */
function nextProject() {
  const made = project({ manifest: { dependencies: { next: '16.0.0' } } })
  const install = (name, dependencies = {}) => {
    made.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', dependencies }))
    made.write(`node_modules/${name}/index.js`, 'module.exports = { query: () => [] }\n')
  }
  install('a-database', { '@scope/wire': '1', 'not-installed': '1' })
  install('@scope/wire')
  install('lazy-pdf')
  install('only-types')
  install('unused')
  made.write('tools/rows/tool.ts', TOOL)
  made.write(
    'lib/rows.ts',
    "import database = require('a-database')\nimport './table'\nexport const rows = () => database.query()\n",
  )
  made.write('lib/table.ts', "export * from '../tools/rows/tool'\n// from 'unused-here'\n")
  made.write('lib/other.ts', "import 'unused'\n")
  return made
}

async function traced(home, settings) {
  const source = `import { withToolgate } from '${new URL('../../js/next.js', import.meta.url)}'
    console.log(JSON.stringify(withToolgate(${JSON.stringify(settings)}, { packages: ['named'] })))`
  const { stdout } = await runModule(source, { cwd: home })
  return JSON.parse(stdout)
}

test('withToolgate traces the tools, what they import, and what that depends on', async () => {
  const { home } = nextProject()
  const settings = await traced(home, {
    serverExternalPackages: ['own'],
    outputFileTracingIncludes: { '/*': ['./data/**'] },
  })
  const files = settings.outputFileTracingIncludes['/*']
  expect(files).toEqual(
    expect.arrayContaining([
      './data/**',
      './tools/**/*',
      './node_modules/toolgate/**/*',
      './node_modules/zod/**/*',
      './node_modules/a-database/**/*',
      './node_modules/@scope/wire/**/*',
      './node_modules/lazy-pdf/**/*',
      './lib/rows.ts',
      './lib/table.ts',
    ]),
  )
  expect(files.filter(file => /only-types|unused|not-installed|other/.test(file))).toEqual([])
  expect(settings.serverExternalPackages).toEqual(expect.arrayContaining(['own', 'toolgate', 'named']))
  // A bundler may compile them into the app's own code, too.
  expect(settings.serverExternalPackages).not.toContain('zod')
})

test('of a folder with more files than tools have, not all are read', () => {
  const { home, write } = project()
  for (let n = 0; n < 10_100; n += 1) write(`tools/many/file-${n}.js`, `import 'package-${n}'\n`)
  expect(importsOf([path.join(home, 'tools')]).packages.length).toBe(10_000)
})

test('doctor names what a standalone output would lack', async () => {
  const { home, write } = nextProject()
  const standalone = async () => {
    const { stdout } = await toolgate(['doctor', '--json'], { cwd: home })
    return JSON.parse(stdout).checks.filter(({ check }) => check === 'standalone')
  }
  const lacking = {
    check: 'standalone',
    status: 'warning',
    message: 'a standalone output lacks the tools, and the packages `toolgate`, `a-database`, `lazy-pdf`, `zod`',
  }
  expect(await standalone()).toEqual([{ ...lacking, help: 'write `next.config.mjs`: `toolgate init`' }])
  write('next.config.ts', 'export default {}\n')
  const wrap =
    "add `import { withToolgate } from 'toolgate/next'`, and end it with `export default withToolgate(nextConfig)`"
  expect(await standalone()).toEqual([{ ...lacking, help: wrap }])
  write('next.config.ts', "import { withToolgate } from 'toolgate/next'\nexport default withToolgate({})\n")
  expect(await standalone()).toMatchObject([
    { status: 'ok', message: expect.stringContaining('`a-database`, `lazy-pdf`, `toolgate`, `zod`') },
  ])
})

test('check names it too, where the configuration asks for a standalone output', async () => {
  const { home, write } = nextProject()
  const check = async (...flags) => {
    const { code, stdout, stderr } = await toolgate(['check', ...flags], { cwd: home })
    return [
      code,
      /warning: a standalone output lacks .*`a-database`, `lazy-pdf`, `zod`\n  help: .*withToolgate/.test(stdout),
      stderr,
    ]
  }
  const [code] = await check()
  expect(await check()).toEqual([code, false, ''])
  write('next.config.ts', "export default { output: 'standalone' }\n")
  expect(await check()).toEqual([code, true, ''])
  expect((await check('--deny-warnings'))[0]).toBe(1)
  expect((await check('--json'))[2]).toContain('a standalone output lacks')
  write(
    'next.config.ts',
    "import { withToolgate } from 'toolgate/next'\nexport default withToolgate({ output: 'standalone' })\n",
  )
  expect(await check()).toEqual([code, false, ''])
})

/** As pnpm installs: packages are links into `.pnpm`, and what they depend on is beside the real folder. */
function linkedProject() {
  const made = project({ manifest: { dependencies: { next: '16.0.0' } } })
  const store = name => `node_modules/.pnpm/${name}@1.0.0/node_modules`
  const install = (name, dependencies = {}) => {
    made.write(
      `${store(name)}/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', main: 'index.js', dependencies }),
    )
    made.write(`${store(name)}/${name}/index.js`, 'module.exports = {}\n')
  }
  const link = (name, home) => {
    const target = path.relative(path.join(made.home, home), path.join(made.home, store(name), name))
    symlinkSync(target, path.join(made.home, home, name), 'dir')
  }
  install('a-database', { 'a-pool': '1' })
  install('a-pool', { 'a-queue': '1' })
  install('a-queue')
  link('a-database', 'node_modules')
  link('a-pool', store('a-database'))
  link('a-queue', store('a-pool'))
  made.write('tools/rows/tool.js', "import 'a-database'\n")
  made.write(
    'next.config.mjs',
    "import { withToolgate } from 'toolgate/next'\nexport default withToolgate({ output: 'standalone' })\n",
  )
  return made
}

test('in the layout of pnpm what linked packages depend on is traced, and doctor names what a copy would lack', async () => {
  const { home, tools } = linkedProject()
  const settings = await traced(home, {})
  expect(settings.outputFileTracingIncludes['/*']).toEqual(
    expect.arrayContaining([
      './node_modules/a-database/**/*',
      './node_modules/.pnpm/a-database@1.0.0/node_modules/a-database/**/*',
      './node_modules/.pnpm/a-database@1.0.0/node_modules/a-pool/**/*',
      './node_modules/.pnpm/a-pool@1.0.0/node_modules/a-queue/**/*',
    ]),
  )
  const { stdout } = await toolgate(['doctor'], { cwd: home })
  expect(stdout).toContain('lacks what linked packages depend on: `a-pool`')
  expect(stdout).toContain('nodeLinker: hoisted')
  rmSync(path.join(tools, 'rows'), { recursive: true })
  expect((await toolgate(['doctor'], { cwd: home })).stdout).not.toContain('linked packages')
})
