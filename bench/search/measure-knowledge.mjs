// Recall of the embedded knowledge base: everyday questions with the records that answer them. Odd lines of the file
// were used while the synonyms were collected, even lines were kept apart.
import { readFile } from 'node:fs/promises'
import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'

const QUESTIONS = new URL('knowledge-questions.jsonl', import.meta.url)
const PLACES = 5

/** @returns {Promise<{ tuned: object, heldOut: object, withoutSynonyms: object }>} `{ questions, at1, at5 }` each */
export async function measureKnowledge() {
  const questions = (await readFile(QUESTIONS, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const [kb, plain] = await Promise.all([createKnowledgeBase(), createKnowledgeBase({ synonyms: [] })])
  return {
    tuned: await recallOf(
      kb,
      questions.filter((_, index) => index % 2 === 0),
    ),
    heldOut: await recallOf(
      kb,
      questions.filter((_, index) => index % 2 === 1),
    ),
    withoutSynonyms: await recallOf(plain, questions),
  }
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
