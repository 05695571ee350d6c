import { openingOf, snippetAround } from '../../tools/_services/snippet.js'
import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'
import records from './support/studio-records.mjs'

const matching =
  (...words) =>
  ({ text }) =>
    words.find(term => text.toLowerCase().startsWith(term)) ?? null
const TEXT = 'One two three four five six seven eight nine ten.'

test.each([
  ['the whole text where it fits', TEXT, [], 100, TEXT],
  ['the opening without a match', TEXT, [], 13, 'One two three…'],
  ['no half words', TEXT, [], 12, 'One two…'],
  ['around a match', TEXT, ['five'], 20, '…three four five six…'],
  ['up to the end', TEXT, ['ten'], 15, '…eight nine ten.'],
  ['where most terms are', 'alpha b c d e f alpha beta g h', ['alpha', 'beta'], 14, '…f alpha beta g…'],
  ['the earliest of equal places', 'alpha b c alpha d', ['alpha'], 7, 'alpha b…'],
  ['a word that is longer than the limit is cut', 'abcdefghij', [], 4, 'abcd…'],
  ['space around the text is not marked as left out', '  one two  ', [], 20, 'one two'],
  ['nothing of nothing', '', ['a'], 10, ''],
  ['line breaks are space', 'one\ntwo three', ['three'], 9, '…two three'],
])('%s', (_, text, terms, limit, expected) => {
  expect(snippetAround(text, matching(...terms), limit)).toBe(expected)
})

test('an opening is a snippet without a search', () => {
  expect(openingOf(TEXT, 13)).toBe('One two three…')
})

test('snippets of the knowledge base are pieces of the text at word boundaries and hold the match', async () => {
  const kb = await createKnowledgeBase()
  for (const [query, word] of [
    ['kubernetes', /kubernetes/i],
    ['kubernets', /kubernetes/i],
    ['certificate', /certificate/i],
    ['skippers', /skipper/i],
  ]) {
    const hits = await kb.search({ query, topK: 10 })
    expect(hits.length).toBeGreaterThan(0)
    for (const { id, snippet } of hits) {
      const { text, title, tags } = records.find(record => record.id === id)
      const piece = snippet.replace(/^…|…$/g, '')
      const at = ` ${text} `.indexOf(` ${piece} `)
      expect({ id, at }).not.toEqual({ id, at: -1 })
      expect(piece.length).toBeLessThanOrEqual(220)
      if (word.test(text)) expect(snippet).toMatch(word)
      else expect(`${title} ${tags}`).toMatch(word)
    }
  }
})
