// The published types: what they allow and refuse, and that they name what is there.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import toolgate from '../../index.js'
import { declaredValues } from '../support/declared-exports.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const TSC = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const PROJECT = fileURLToPath(new URL('../types/', import.meta.url))

test.each(['.', 'agents', 'ai-sdk', 'mcp'])(
  'the type tests in types/%s compile, and every expected error is one',
  folder => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [TSC, '--project', path.join(PROJECT, folder), '--pretty', 'false'],
      { encoding: 'utf8' },
    )
    expect(stdout).toBe('')
    expect(status).toBe(0)
  },
)

test('the declarations of all packages have no error of their own under exactOptionalPropertyTypes, without skipLibCheck', () => {
  const folder = temporaryFolder()
  const files = ['.', 'voice-server', 'react', 'simulator', 'tools'].flatMap(declarationsOf)
  expect(files.length).toBeGreaterThan(15)
  const program = path.join(folder, 'all.ts')
  writeFileSync(program, files.map(file => `import ${JSON.stringify(file.replace(/\.d\.ts$/, ''))}\n`).join(''))
  const options = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --jsx react-jsx --pretty false'
  const target = '--target es2022 --lib es2023,dom,dom.iterable --module nodenext --moduleResolution nodenext'
  const given = `${options} ${target}`.split(' ')
  const { stdout } = spawnSync(process.execPath, [TSC, ...given, program], { encoding: 'utf8' })
  // Optional peers that are not installed here, and what is wrong in the declarations of others, are none of ours.
  const own = stdout.split('\n').filter(line => /error TS(?!2307|7016)/.test(line) && !line.includes('node_modules/'))
  expect(own).toEqual([])
})

/** The declarations that a package's entries lead to. */
function declarationsOf(folder) {
  const root = fileURLToPath(new URL(`../../${folder}/`, import.meta.url))
  const { exports = {} } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).filter(([name, entry]) => !name.includes('*') && entry.types)
  return entries.map(([, { types }]) => path.join(root, types))
}

test('index.d.ts declares exactly what index.js exports', () => {
  expect(Object.keys(toolgate).sort()).toEqual(declaredValues())
})
