// The measurement of tokens: a conversation completes with both ways to declare tools, and the search is what it says.
import { measureTokens } from '../../bench/search/measure-tokens.mjs'
import { searchLines } from '../../bench/search/report.mjs'

test('tokens of declarations and of a conversation, with all tools and with the search', async () => {
  const rows = await measureTokens([50, 200])
  const [small, large] = rows
  for (const { all, search } of rows) {
    expect(all.requests).toBe(4)
    expect(search.requests).toBe(7)
    expect(all.conversation).toBeGreaterThan(4 * all.declared)
    expect(search.conversation).toBeGreaterThan(7 * search.declared)
    expect(search.conversation).toBeLessThan(all.conversation)
  }
  // The declarations before a search do not depend on the number of tools.
  expect(small.search.declared).toBe(large.search.declared)
  expect(large.all.declared).toBeGreaterThan(3.5 * small.all.declared)
})

test('the lines in the terminal', () => {
  const half = { questions: 30, at1: 0.5, at5: 0.9 }
  const tokens = [
    {
      tools: 500,
      all: { requests: 4, declared: 60_000, conversation: 240_000 },
      search: { requests: 7, declared: 400, conversation: 8_000 },
    },
  ]
  const none = { questions: 30, found: 0.1 }
  const knowledge = { tuned: half, heldOut: half, withoutSynonyms: half, unanswered: { tuned: none, heldOut: none } }
  const lines = searchLines({ missing: 'there is no corpus', tokens, knowledge })
  expect(lines.slice(0, 6)).toEqual([
    'skipped: the tool search, because there is no corpus',
    "Tokens that a model is sent (bytes / 4), with all tools declared and with `toolSearch: 'gate'`",
    '                                            all     search    part',
    '  500 tools, declarations                60,000        400   1/150',
    '  500 tools, three needed               240,000      8,000    1/30',
    '  The conversation has 4 requests with all tools and 7 with the search.',
  ])
})
