// Whether the model said a question's read-back: a yes answers it only then. Words may be translated and the order may
// differ; amounts, names and times must be there, no other amount may, and nothing else may follow.
import { clockTokens, isNumber, spokenTokens } from './spoken-tokens.js'

/** Words of a transcript that are compared: a longer speech ends with the read-back if it contains one. */
const MOST_TOKENS = 400
/** Words around a time: "from … at", "four o'clock thirty". */
const REACH = 3
/** Words before the first fact in which a negation counts. */
const NEGATION_REACH = 4
const DAY = /(?:\p{L}{2,4}\.? )?(\d{1,2}) (\p{L}{3,5})\.? (\d{4})(?:, (\d{1,2}):(\d{2}))?(?: \([\w/+-]+\))?/gu
const ISO = /\b(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?/g
/** Values that are no names: the read-back's words for them may be translated. */
const UNNAMED = /^(?:\*+|true|false|null)?$/
/** Words that are said differently: "ada at example dot com". */
const SYMBOL_WORDS = new Set(['at', 'dot', 'punkt', 'point', 'punto', 'arroba', 'chiocciola', 'et'])

/** Words of a question for consent; what else follows the read-back is another question. */
const ASKING = new Set(
  [
    'shall should may can could do i we you it that this so now please want me to go ahead is right correct ok okay confirm yes or no proceed sure agree',
    'uhr o clock in the morning afternoon evening nachmittags abends morgens heures',
    'soll sollen darf kann wir ich du sie das so es jetzt bitte machen tun ausfuhren fortfahren ist richtig korrekt stimmt passt einverstanden wirklich ok okay mochten mochtest wollen willst dass bestatigen bestatigst ja oder nein',
    'dois je le la faire est ce correct confirmez vous confirmes tu c bon d accord voulez veux que fasse oui ou non',
    'lo hago debo hacerlo es correcto confirma confirmas quiere quieres que haga procedo de acuerdo si o no',
    'procedo lo faccio devo farlo e corretto conferma confermi va bene vuole vuoi che faccia si o no',
  ].flatMap(words => words.split(' ')),
)
/** Their words mean something else alone. */
const PHRASES = [
  /\bwould you like me to\b/gi,
  /\bist das in ordnung\b/gi,
  /\bis (?:that|this) (?:all right|alright|fine)\b/gi,
]
const NEGATIONS = new Set([
  'not',
  'never',
  'don',
  'nicht',
  'kein',
  'keine',
  'keinen',
  'nie',
  'pas',
  'jamais',
  'non',
  'nunca',
])

/**
 * @typedef {{ tokens: string[], reach: number, isDate?: boolean }} Fact tokens that are said in this order (those of a date
 *   in either), with at most `reach` others between two
 */

/**
 * @param {string} readBack
 * @param {{ value: string }[]} rows the question's arguments as they are shown
 * @returns {(said: string) => boolean} whether a transcript of the model is this read-back
 */
export function readBackCheck(readBack, rows) {
  const all = new Set(spokenTokens(readBack))
  const facts = factsOf(readBack, rows, all)
  const factTokens = new Set(facts.flatMap(({ tokens }) => tokens))
  const mayFollow = new Set([...ASKING, ...all].filter(token => !factTokens.has(token)))
  return said => {
    const spoken = spokenTokens(withoutPhrases(said)).slice(-MOST_TOKENS)
    for (let from = spoken.length - 1; from >= 0; from -= 1) {
      const span = facts.length === 0 ? null : placesOf(facts, spoken, from)
      if (span !== null) return isAlone({ span, spoken, all, mayFollow })
    }
    return false
  }
}

/** @param {{ span: Set<number>, spoken: string[], all: Set<string>, mayFollow: Set<string> }} found */
function isAlone({ span, spoken, all, mayFollow }) {
  const [first, last] = [Math.min(...span), Math.max(...span)]
  const within = spoken.slice(first, last)
  const isOther = (/** @type {string} */ token) => isNumber(token) && !all.has(token) && token !== '#1'
  const negated = spoken
    .slice(Math.max(0, first - NEGATION_REACH), last)
    .some(token => NEGATIONS.has(token) && !all.has(token))
  return !negated && !within.some(isOther) && spoken.slice(last + 1).every(token => mayFollow.has(token))
}

/**
 * The positions of the facts from a word on, each word used once.
 * @param {Fact[]} facts @param {string[]} spoken @param {number} from
 */
function placesOf(facts, spoken, from) {
  /** @type {Set<number>} */
  const used = new Set()
  for (const fact of facts) {
    const { tokens, isDate = false } = fact
    const places =
      placeOf(fact, spoken, from, used) ??
      (isDate ? placeOf({ ...fact, tokens: tokens.toReversed() }, spoken, from, used) : null)
    if (places === null) return null
    for (const place of places) used.add(place)
  }
  return used
}

/** @param {Fact} fact @param {string[]} spoken @param {number} from @param {Set<number>} used */
function placeOf({ tokens, reach }, spoken, from, used) {
  for (let start = from; start < spoken.length; start += 1) {
    if (spoken[start] !== tokens[0] || used.has(start)) continue
    const places = [start]
    for (const token of tokens.slice(1)) {
      const after = /** @type {number} */ (places.at(-1))
      const next = spoken.findIndex((word, at) => word === token && at > after && !used.has(at))
      if (next === -1 || next - after - 1 > reach) break
      places.push(next)
    }
    if (places.length === tokens.length) return places
  }
  return null
}

/** @param {string} readBack @param {{ value: string }[]} rows @param {Set<string>} all its tokens @returns {Fact[]} */
function factsOf(readBack, rows, all) {
  const times = timesOf(readBack)
  const plain = readBack.replace(ISO, ' ').replace(DAY, ' ')
  const values = rows
    .filter(({ value }) => !UNNAMED.test(value.trim()))
    .map(({ value }) =>
      spokenTokens(value.replace(ISO, ' ')).filter(token => all.has(token) && !SYMBOL_WORDS.has(token)),
    )
  const named = new Set(values.flat())
  const numbers = spokenTokens(plain).filter(token => isNumber(token) && !named.has(token))
  const facts = [
    ...times,
    ...values.filter(tokens => tokens.length > 0).map(tokens => ({ tokens, reach: REACH })),
    ...numbers.map(number => ({ tokens: [number], reach: 0 })),
  ]
  // A question without values is said word for word.
  const found = facts.length > 0 ? facts : [{ tokens: spokenTokens(readBack), reach: 0 }]
  const distinct = new Map(found.map(fact => [fact.tokens.join(' '), fact]))
  return [...distinct.values()].toSorted((a, b) => b.tokens.length - a.tokens.length)
}

/** The days and times of a text; not their years, week days and zones. @param {string} text @returns {Fact[]} */
function timesOf(text) {
  const written = [...text.matchAll(ISO)].map(([, , month, day, hour, minute]) => ({
    day,
    month: `month:${Number(month)}`,
    hour,
    minute,
  }))
  const shown = [...text.replace(ISO, ' ').matchAll(DAY)].map(([, day, name, , hour, minute]) => ({
    day,
    month: spokenTokens(name)[0],
    hour,
    minute,
  }))
  return [...written, ...shown].flatMap(({ day, month, hour, minute }) => {
    const date = { tokens: [`#${Number(day)}`, month], reach: 1, isDate: true }
    return hour === undefined ? [date] : [date, { tokens: clockTokens([Number(hour), Number(minute)]), reach: REACH }]
  })
}

/** @param {string} said */
function withoutPhrases(said) {
  return PHRASES.reduce((text, phrase) => text.replace(phrase, ' '), said)
}
