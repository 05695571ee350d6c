// The same scenario over every protocol; and the schema, the table of protocols and the outputs agree.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { HttpOutput } from '../src/http/http-output.js'
import { LiveOutput } from '../src/live/live-output.js'
import { GptLiveOutput } from '../src/gpt-live/gpt-live-output.js'
import { RealtimeOutput } from '../src/realtime/realtime-output.js'
import { PROTOCOLS } from '../src/scenario/protocols.js'
import { DRIVERS } from './drivers.mjs'

const scenario = {
  settings: { label: '', pieceChars: 3 },
  rules: [
    {
      when: { user: { regex: 'weather in (?<city>\\w+)' }, declared: ['get_weather'] },
      steps: [
        {
          emit: [
            { say: 'Looking. ' },
            {
              calls: [{ name: 'get_weather', args: { city: '{{match.city}}', note: 'é😀"\n' } }, { name: 'get_clock' }],
            },
          ],
        },
        {
          choose: [
            {
              if: { path: 'results.0.ok', equals: true },
              emit: [
                { say: '{{results.0.data.sky}} in {{match.city}} at {{result.time}}.' },
                { call: { name: 'note' } },
              ],
            },
            { emit: [{ say: 'That failed: {{results.0.error}}' }] },
          ],
        },
      ],
    },
    {
      when: { results: 'note' },
      steps: [
        { emit: [{ call: { name: 'note', args: { again: true } } }] },
        { emit: [{ say: 'Noted: {{result.id}}' }] },
      ],
    },
    { when: { declared: ['nothing_of_the_kind'] }, steps: [{ emit: [{ say: 'never' }] }] },
    { when: { turn: 2 }, steps: [{ emit: [{ say: 'Turn {{turn}} of {{scenario}}: {{user}}' }] }] },
  ],
  name: 'same',
}

for (const [name, connect] of Object.entries(DRIVERS)) {
  test(`the same rules over ${name}`, async t => {
    const driver = await connect(t, scenario, ['get_weather', 'get_clock', 'note'])
    const first = await driver.ask('Weather in Paris?')
    assert.equal(first.said, 'Looking. ')
    assert.deepEqual(
      first.calls.map(call => [call.name, call.args]),
      [
        ['get_weather', { city: 'Paris', note: 'é😀"\n' }],
        ['get_clock', {}],
      ],
    )
    assert.equal(new Set(first.calls.map(({ id }) => id)).size, 2)
    const second = await driver.answer(first.calls, [{ ok: true, data: { sky: 'Blue' } }, { time: 'noon' }])
    assert.deepEqual([second.said, second.calls.map(call => call.name)], ['Blue in Paris at noon.', ['note']])
    const third = await driver.answer(second.calls, [{ ok: true }])
    assert.deepEqual([third.said, third.calls.map(call => call.args)], ['', [{ again: true }]])
    assert.equal((await driver.answer(third.calls, [{ id: 7 }])).said, 'Noted: 7')
    assert.deepEqual(await driver.ask('and now?'), { said: 'Turn 2 of same: and now?', calls: [] })
    assert.match((await driver.ask('anything')).said, /the scenario `same` has no rule for this/)
  })
}

test('schema, table and outputs know the same protocols and actions', () => {
  const { $defs } = JSON.parse(readFileSync(new URL('../scenario.schema.json', import.meta.url), 'utf8'))
  assert.deepEqual($defs.protocol.enum, Object.keys(PROTOCOLS))
  const own = ['say', 'sayEach', 'call', 'calls', 'wait']
  const actions = Object.keys($defs.action.properties).filter(action => !own.includes(action))
  const outputs = {
    live: LiveOutput,
    realtime: RealtimeOutput,
    gptLive: GptLiveOutput,
    chat: HttpOutput,
    responses: HttpOutput,
    messages: HttpOutput,
    gemini: HttpOutput,
  }
  for (const [protocol, { unsupported }] of Object.entries(PROTOCOLS)) {
    const missing = actions.filter(action => outputs[protocol].prototype[action] === undefined)
    assert.deepEqual(missing.sort(), [...unsupported].sort(), protocol)
  }
})
