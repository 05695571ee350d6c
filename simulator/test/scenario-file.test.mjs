// The findings for a scenario's author.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ScenarioError, startSimulator } from 'toolgate-simulator'

async function findingsOf(t, text) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-scenario-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'broken.json')
  await writeFile(file, text)
  const error = await startSimulator({ scenarioFile: file }).then(
    async sim => assert.fail(await sim.close()),
    reason => reason,
  )
  assert.ok(error instanceof ScenarioError, error.message)
  assert.ok(!error.message.includes(folder))
  return error
}

test('a syntax error has a position', async t => {
  const { message, findings } = await findingsOf(t, '{\n  "rules": [\n    { "steps": [,] }\n  ]\n}')
  assert.deepEqual([findings[0].line, findings[0].column], [3, 17])
  assert.match(message, /broken\.json:3:17 \(top level\): not JSON: value expected/)
})

test('comments and trailing commas are no JSON', async t => {
  assert.match((await findingsOf(t, '{ // hm\n "rules": [] }')).message, /invalid comment token/)
  assert.match((await findingsOf(t, '{ "rules": [],}')).message, /property name expected/)
})

test('all findings at once, each with line, column, pointer, and what would be right', async t => {
  const { findings } = await findingsOf(
    t,
    `{
  "rules": [
    { "steps": [{ "emit": [{ "shout": "x" }] }] },
    { "when": { "user": 5 }, "steps": [] },
    { "steps": [{ "emit": [{ "say": "a", "wait": 1 }] }] }
  ]
}`,
  )
  const seen = findings.map(({ line, column, pointer, message }) => [line, column, pointer, message.split(';')[0]])
  assert.deepEqual(seen, [
    [3, 28, '/rules/0/steps/0/emit/0', 'unknown member `shout`'],
    [4, 25, '/rules/1/when/user', 'must be string,object'],
    [4, 39, '/rules/1/steps', 'must NOT have fewer than 1 items'],
    [5, 28, '/rules/2/steps/0/emit/0', 'must NOT have more than 1 properties'],
  ])
})

test('what a schema cannot say: expressions, templates, members that exclude each other', async t => {
  const { findings } = await findingsOf(
    t,
    JSON.stringify({
      rules: [
        { when: { user: { regex: '(' } }, steps: [{ emit: [{ say: '{{user' }, { say: '{{process.env.HOME}}' }] }] },
        {
          when: { user: 'a', results: true },
          steps: [{ emit: [{ call: { name: 'a', args: { deep: ['{{nope}}'] }, rawArgs: '' } }] }],
        },
        { when: { protocol: 'chat' }, steps: [{ choose: [{ emit: [{ interrupt: true }] }], emit: [] }] },
        { steps: [{ choose: [{ if: [{ path: 'result.x', matches: '[' }], emit: [] }] }] },
      ],
    }),
  )
  assert.deepEqual(
    findings.map(({ pointer, message }) => [pointer, message.slice(0, 40)]),
    [
      ['/rules/0/steps/0/emit/0/say', 'a placeholder is not closed; write `{{pa'],
      ['/rules/0/steps/0/emit/1/say', 'path `process.env.HOME` starts with none'],
      ['/rules/0/when/user/regex', 'invalid regular expression: /(/i: Untermi'.slice(0, 40)],
      ['/rules/1/when', '`user` and `results` exclude each other;'],
      ['/rules/1/steps/0/emit/0/call', '`args` and `rawArgs` exclude each other'],
      ['/rules/1/steps/0/emit/0/call/args', 'path `nope` starts with none of `user`, '],
      ['/rules/2/steps/0', 'must have either `emit` or `choose`'],
      ['/rules/2/steps/0/choose/0/emit/0/interrupt', 'exists in Gemini Live, OpenAI Realtime o'],
      ['/rules/3/steps/0/choose/0/if/0/matches', 'invalid regular expression: /[/i: Unterm'],
    ],
  )
})

test('an absent file, and a scenario object', async () => {
  await assert.rejects(startSimulator({ scenarioFile: 'no-such-scenario.json' }), /cannot be read \(ENOENT\)/)
  await assert.rejects(startSimulator({ scenario: { rules: {} } }), {
    name: 'ScenarioError',
    message: /scenario object \/rules: must be array/,
  })
  await assert.rejects(startSimulator({ scenario: { rules: [] }, scenarioFile: 'x' }), TypeError)
})
