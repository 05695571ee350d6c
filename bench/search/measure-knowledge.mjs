// Recall of the embedded knowledge base: everyday questions with the records that answer them. Odd lines of the file
// were used while the synonyms were collected, even lines were kept apart. The same holds for the questions that no record
// answers, with which the least share of a good match was chosen.
import { readFile } from 'node:fs/promises'
import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'

const QUESTIONS = new URL('knowledge-questions.jsonl', import.meta.url)
const UNANSWERED = new URL('knowledge-unanswered.jsonl', import.meta.url)
const PLACES = 5

/**
 * @returns {Promise<{ tuned: object, heldOut: object, withoutSynonyms: object, unanswered: object }>} `{ questions, at1, at5 }`
 *   each; of `unanswered`, `{ tuned, heldOut }`: `{ questions, found }`, the share for which a record is found
 */
export async function measureKnowledge() {
  const [questions, unanswered] = await Promise.all([linesOf(QUESTIONS), linesOf(UNANSWERED)])
  const [kb, plain] = await Promise.all([createKnowledgeBase(), createKnowledgeBase({ synonyms: [] })])
  return {
    tuned: await recallOf(kb, half(questions, 0)),
    heldOut: await recallOf(kb, half(questions, 1)),
    withoutSynonyms: await recallOf(plain, questions),
    unanswered: {
      tuned: await falseFindsOf(kb, half(unanswered, 0)),
      heldOut: await falseFindsOf(kb, half(unanswered, 1)),
    },
  }
}

const linesOf = async file =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
const half = (lines, rest) => lines.filter((_, index) => index % 2 === rest)

async function falseFindsOf(kb, questions) {
  const found = await Promise.all(questions.map(({ query }) => kb.search({ query, topK: 1 })))
  return { questions: questions.length, found: found.filter(hits => hits.length > 0).length / questions.length }
}

async function recallOf(kb, questions) {
  const places = await Promise.all(questions.map(question => placeOf(kb, question)))
  const share = isHit => places.filter(isHit).length / questions.length
  return { questions: questions.length, at1: share(place => place === 0), at5: share(place => place >= 0) }
}

/** The place of the first record that answers; -1 if it is not among the first five. */
async function placeOf(kb, { query, namespace, right }) {
  const found = await kb.search({ query, namespace, topK: PLACES })
  return found.findIndex(({ id }) => right.includes(id))
}
