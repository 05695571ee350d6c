import { measureKnowledge } from '../../bench/search/measure-knowledge.mjs'
import { searchLines } from '../../bench/search/report.mjs'

// The figures are counts over fixed questions and records: they do not depend on the machine.
test('the knowledge base answers everyday questions, the kept-apart half as well', async () => {
  const { unanswered, ...answered } = await measureKnowledge()
  const { tuned, heldOut, withoutSynonyms } = answered
  expect([tuned.questions, heldOut.questions, withoutSynonyms.questions]).toEqual([40, 40, 80])
  expect(heldOut.at5).toBeGreaterThanOrEqual(0.9)
  expect(tuned.at5).toBeGreaterThanOrEqual(0.9)
  expect(withoutSynonyms.at5).toBeLessThan(heldOut.at5)
  expect([unanswered.tuned.questions, unanswered.heldOut.questions]).toEqual([30, 30])
  expect(unanswered.heldOut.found).toBeLessThanOrEqual(0.2)
  expect(unanswered.tuned.found).toBeLessThanOrEqual(0.2)
  const knowledge = { ...answered, unanswered }
  expect(searchLines({ missing: 'no corpus', knowledge })).toContainEqual(expect.stringMatching(/held-out half +40 /))
})
