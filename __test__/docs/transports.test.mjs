// docs/transports.md: its tables are made of the code's, and each row of the first is what a transport does.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { COMPLETION } = require('../../js/transports/shared/completion-reasons.js')
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { ROWS } = require('../../js/transports/live-capabilities.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')

const page = new URL('../../docs/transports.md', import.meta.url)

function completionTable() {
  const code = words => words.map(word => `\`${word}\``).join(', ')
  const rows = Object.values(COMPLETION).map(({ protocol, member, complete, incomplete, pending }) => {
    const reasons = Object.entries(incomplete).map(([word, why]) => `\`${word}\` (${why})`)
    const others = [...reasons, ...(pending.length > 0 ? [`${code(pending)}: not over yet, no problem`] : [])]
    return `| ${protocol} | ${member} | ${code(complete)} | ${others.join('; ')} |`
  })
  return [
    '| protocol | where | calls are given | no call is given, nor after any other word |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** A capability that no document confirms has an asterisk, with its reason below the table. */
function capabilityTable() {
  const yes = value => (value === true ? 'yes' : value === false ? 'no' : `\`${value}\``)
  const names = ['nonBlocking', 'blocking', 'defaultBehavior', 'scheduling', 'willContinue', 'id']
  const rows = ROWS.map(row => {
    const values = names.map(name => yes(row[name]) + (row.assumed?.[name] === undefined ? '' : '\\*'))
    return `| ${row.name} | ${row.surface} | ${values.join(' | ')} | ${row.source} (${row.checked}) |`
  })
  const reasons = ROWS.flatMap(({ name, surface, assumed = {} }) =>
    Object.entries(assumed).map(([member, why]) => `- ${name}, ${surface}, \`${member}\`: ${why}`),
  )
  return [
    '| model | surface | takes `NON_BLOCKING` | takes `BLOCKING` | default | `scheduling` | `willContinue` | id of the call | source |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '\\* Assumed:',
    '',
    ...reasons,
    '',
  ].join('\n')
}

/** `TOOLGATE_RECORD=1` writes the tables. */
test.each([
  ['completion', completionTable],
  ['capabilities', capabilityTable],
])('the table `%s` is that of the code', (name, table) => {
  const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`]
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest.slice(rest.indexOf(end))
  const expected = `${before}${begin}${table()}${after}`
  if (process.env.TOOLGATE_RECORD === '1') writeFileSync(page, expected)
  else expect(text).toBe(expected)
})

const MESSAGES = {
  chat: word => [
    new OpenAITransport(),
    {
      choices: [
        {
          index: 0,
          finish_reason: word,
          message: { tool_calls: [{ id: 'call_abcdefgh0', function: { name: 'a', arguments: '{}' } }] },
        },
      ],
    },
  ],
  responses: word => [
    new OpenAITransport(),
    {
      object: 'response',
      id: 'r',
      status: word,
      output: [{ type: 'function_call', id: 'f', call_id: 'call_abcdefgh0', name: 'a', arguments: '{}' }],
    },
  ],
  anthropic: word => [
    new AnthropicTransport(),
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      stop_reason: word,
      content: [{ type: 'tool_use', id: 'toolu_abcdefgh0', name: 'a', input: { b: 1 } }],
    },
  ],
  realtime: word => [
    new OpenAIRealtimeTransport({ send() {} }),
    {
      type: 'response.output_item.done',
      response_id: 'r',
      item: { type: 'function_call', id: 'i', status: word, call_id: 'call_abcdefgh0', name: 'a', arguments: '{}' },
    },
  ],
}
const rows = Object.entries(COMPLETION).flatMap(([name, { complete, incomplete, pending }]) => [
  ...complete.map(word => [name, word, 1]),
  ...[...Object.keys(incomplete), ...pending, 'a_word_of_tomorrow', complete[0].toUpperCase()].map(word => [
    name,
    word,
    0,
  ]),
])

test.each(rows)('%s, ended with `%s`: %i call is given', (name, word, count) => {
  const [transport, message] = MESSAGES[name](word)
  expect(transport.receiveToolCalls(message)).toHaveLength(count)
  const isQuiet = COMPLETION[name].pending.includes(word) || count === 1
  expect(transport.problem === null).toBe(isQuiet)
})
