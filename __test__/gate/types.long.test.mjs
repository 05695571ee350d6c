// The published types: what they allow and refuse, and that they name what is there.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import toolgate from '../../index.js'
import { declaredValues } from '../support/declared-exports.mjs'

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
  120_000,
)

test('index.d.ts declares exactly what index.js exports', () => {
  expect(Object.keys(toolgate).sort()).toEqual(declaredValues())
})
