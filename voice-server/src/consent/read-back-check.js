// Whether the model said a question's read-back: a yes answers it only then. The read-back is the server's own sentence, so its
// words are said in their order, and nothing else between, before or after them but pauses and a question for consent. Numbers,
// amounts and times may be said in all their ways.
import { partsOf, sequence, skip } from './read-back-parts.js'
import { FILLERS, consentEnds, openingEnds, withoutConsent } from './read-back-phrases.js'
import { spokenTokens } from './spoken-tokens.js'

/** Tokens of a transcript that are compared: a longer speech is another one. */
const MOST_TOKENS = 800

/**
 * @param {string} readBack
 * @param {{ value: string }[]} [_rows] the question's arguments as they are shown: each one that is read has its place in the
 *   sentence
 * @param {{ now?: () => number }} [options]
 * @returns {(said: string) => boolean} whether a transcript of the model is this read-back
 */
export function readBackCheck(readBack, _rows, { now = Date.now } = {}) {
  const { body, asks } = withoutConsent(readBack)
  const isEmpty = spokenTokens(body).length === 0
  const sentence = sequence(partsOf(body, now))
  return said => {
    const spoken = spokenTokens(said)
    if (isEmpty || spoken.length > MOST_TOKENS) return false
    return endsOfRepeated(spoken, 0, at => onceFrom(sentence, spoken, at, asks)).includes(spoken.length)
  }
}

/**
 * Where the read-back ends if it is said once from a position on.
 * @param {import('./read-back-parts.js').Part} sentence @param {string[]} spoken @param {number} from
 * @param {boolean} asks whether a question for consent follows it
 */
function onceFrom(sentence, spoken, from, asks) {
  const starts = [from, ...endsOfRepeated(spoken, from, at => openingEnds(spoken, at))]
  const ends = starts.flatMap(start => skip(spoken, start, FILLERS)).flatMap(start => sentence(spoken, start))
  const asked = ends.flatMap(end => endsOfRepeated(spoken, end, at => consentEnds(spoken, at)))
  // Nothing follows it: a "mhm" of the model would answer what the user has said meanwhile.
  return [...asked, ...(asks ? [] : ends)]
}

/**
 * Where something ends that is said once or more, with pauses between.
 * @param {string[]} spoken @param {number} from @param {(at: number) => number[]} once
 */
function endsOfRepeated(spoken, from, once) {
  /** @type {Set<number>} */
  const found = new Set()
  const open = [from]
  for (const at of open)
    for (const end of skip(spoken, at, FILLERS).flatMap(once))
      if (!found.has(end)) {
        found.add(end)
        open.push(end)
      }
  return [...found]
}
