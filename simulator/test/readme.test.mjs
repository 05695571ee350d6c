// The examples of README.md produce the documented output.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'node:test'
import { simulate } from './simulate.mjs'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocksOf = language =>
  [...README.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block)

for (const [index, code] of blocksOf('js').entries()) {
  test(`program ${index + 1} prints what its comments say`, async () => {
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      cwd,
      timeout: 240_000,
    })
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment]) => comment)
    assert.ok(promised.length >= 1)
    assert.deepEqual(stdout.trim().split('\n'), promised)
  })
}

test('there is a program for each kind of client', () => {
  const clients = ['chat.completions', 'anthropic.messages', 'OpenAIRealtimeWS']
  assert.deepEqual(
    clients.filter(client => !blocksOf('js').some(code => code.includes(client))),
    [],
  )
})

test('the scenario loads', async t => {
  const sim = await simulate(t, JSON.parse(blocksOf('json')[0]))
  const health = await fetch(`${sim.url}/healthz`)
  assert.equal((await health.json()).scenario, 'weather')
})

test('each action and each member of `when` of the schema is documented', () => {
  const { $defs } = JSON.parse(readFileSync(new URL('../scenario.schema.json', import.meta.url), 'utf8'))
  const names = ['action', 'when', 'settings', 'call'].flatMap(definition => Object.keys($defs[definition].properties))
  assert.ok(names.length > 25)
  const missing = names.filter(name => !new RegExp(`[\`{\\s]${name}\\b`).test(README))
  assert.deepEqual(missing, [])
})
