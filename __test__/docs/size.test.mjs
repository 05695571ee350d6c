// Pages that everybody reads stay short, and name both commands of a clone before anything else.
import { readFileSync } from 'node:fs'

const wordsOf = text => text.split(/\s+/).filter(Boolean).length
const read = file => readFileSync(file, 'utf8')

test('README.md has at most 750 words, and the two commands of a clone before its first section', () => {
  const readme = read('README.md')
  expect(wordsOf(readme)).toBeLessThanOrEqual(750)
  const [head] = readme.split('\n## ')
  for (const command of ['npm start', 'npm test']) expect(head).toContain(`    ${command}`)
})

test.each([['voice-server/README.md', 2500]])('%s has at most %i words', (page, most) => {
  expect(wordsOf(read(page))).toBeLessThanOrEqual(most)
})

test('an entry of the changelog has at most 900 words', () => {
  const [, ...entries] = read('CHANGELOG.md').split('\n## ')
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) expect([entry.split('\n')[0], wordsOf(entry) <= 900]).toEqual([expect.any(String), true])
})
