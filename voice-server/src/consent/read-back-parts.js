// A read-back as the parts that are said one after another: words, numbers, amounts of money, times and days, each in all the
// ways in which it is written or spoken.
import { FILLERS } from './read-back-phrases.js'
import { CURRENCY_NAMES, clockTokens, isNumber, spokenTokens, weekdayOf, withDaysInWords } from './spoken-tokens.js'

/**
 * @typedef {(spoken: string[], at: number) => number[]} Part where it ends, if it is said from a position on: all possible
 *   positions
 */

const DAY =
  /(?:(\p{L}{2,12})\.?,? )?\b(\d{1,2})\.? (\p{L}{3,10})\.? (\d{4})(?:, (\d{1,2}):(\d{2}))?(?: \(([\w/+:-]+)\))?/u
const CLOCK = /\b(\d{1,2}):(\d{2})(?::\d{2})?(?!\d)(?: ?([ap])\.?m\b\.?)?/iu
/** Characters that may be said, and need not be. */
const SYMBOL = /[_/+&#]|(?<=\d)-|-(?=\d)/u
const ANY = new RegExp(`(?<date>${DAY.source})|(?<clock>${CLOCK.source})|(?<symbol>${SYMBOL.source})`, 'giu')
/** @type {Record<string, string[]>} */
const NAMES = {
  _: ['underscore', 'unterstrich'],
  '/': ['slash', 'schragstrich'],
  '+': ['plus'],
  '&': ['and', 'und', 'et', 'y', 'e'],
  '#': ['number', 'nummer', 'hash'],
  '-': ['dash', 'hyphen', 'minus', 'bindestrich', 'strich'],
  '@': ['@', 'at', 'et', 'arroba', 'chiocciola'],
  '.': ['.', 'dot', 'punkt', 'point', 'punto'],
}
const DECIMAL_POINT = new Set(['.', 'point', 'komma', 'comma', 'punkt', 'virgule', 'coma', 'virgola'])
const CENTS = new Set(['cent', 'cents', 'pence', 'centimes', 'centesimi'])
/** Words within and after a day or a time. */
const AROUND_TIME = new Set(
  'the of on at in den der dem am um le la les de du el los las il alle uhr o clock h heures afternoon evening morning nachmittag nachmittags abend abends morgens time zeit'.split(
    ' ',
  ),
)
/** A day without its year is the next or the last one for who hears it. */
const NEAR_MS = 330 * 24 * 60 * 60 * 1000

/** @param {string} text @param {() => number} now @returns {Part[]} */
export function partsOf(text, now) {
  /** @type {Part[]} */
  const parts = []
  let from = 0
  const shown = withDaysInWords(text)
  for (const match of shown.matchAll(ANY)) {
    const special = specialPart(match, now)
    if (special === null) continue
    parts.push(...plainParts(shown.slice(from, match.index)), ...special)
    from = match.index + match[0].length
  }
  return [...parts, ...plainParts(shown.slice(from))]
}

/** @param {RegExpExecArray} match of `ANY` @param {() => number} now @returns {Part[] | null} */
function specialPart(match, now) {
  const { date, clock, symbol } = /** @type {Record<string, string | undefined>} */ (match.groups)
  if (symbol !== undefined) return isSign(match) ? null : [optional(NAMES[symbol])]
  if (clock !== undefined) {
    const [token, ...more] = spokenTokens(clock)
    return [sequence([...[token, ...more].map(numberPart), nothing], AROUND_TIME)]
  }
  const [, before = '', day, name, year, hour, minute, zone] = /** @type {RegExpExecArray} */ (
    DAY.exec(/** @type {string} */ (date))
  )
  const [month = ''] = spokenTokens(name)
  if (!month.startsWith('month:')) return null
  const words = weekdayOf(before) === undefined ? plainParts(before) : []
  return [...words, ...dayParts({ year, month: Number(month.slice(6)), day, hour, minute, zone }, now)]
}

/** A minus belongs to its number. @param {RegExpExecArray} match */
const isSign = ({ 0: symbol, index, input }) => symbol === '-' && !/[\p{L}\d]/u.test(input[index - 1] ?? '')

/** @param {string} text without days, times and symbols @returns {Part[]} */
function plainParts(text) {
  const tokens = spokenTokens(text)
  // In an address its place matters: `a.b@c` is another one than `a@b.c`.
  const isAddress = tokens.includes('@')
  /** @type {Part[]} */
  const parts = []
  for (let at = 0; at < tokens.length; at += 1) {
    const [token, next] = [tokens[at], tokens[at + 1] ?? '']
    const isMoney = isNumber(token) ? CURRENCY_NAMES.has(next) : CURRENCY_NAMES.has(token) && isNumber(next)
    if (isMoney) {
      parts.push(isNumber(token) ? moneyPart(token, next) : moneyPart(next, token))
      at += 1
    } else if (isNumber(token)) parts.push(numberPart(token))
    else if (token === '.') parts.push(isAddress ? oneOf(NAMES['.']) : optional(NAMES['.']))
    else parts.push(token === '@' ? oneOf(NAMES['@']) : oneOf([token]))
  }
  return parts
}

/** @param {string[]} tokens @returns {Part} */
const oneOf = tokens => (spoken, at) => (tokens.includes(spoken[at]) ? [at + 1] : [])
/** @param {string[]} tokens @returns {Part} */
const optional = tokens => (spoken, at) => (tokens.includes(spoken[at]) ? [at, at + 1] : [at])

/** Parts with fillers, or the words around a time, between them. @param {Part[]} parts @param {Set<string>} [between] @returns {Part} */
export function sequence(parts, between = FILLERS) {
  return (spoken, at) => {
    let ends = [at]
    for (const [index, part] of parts.entries()) {
      const starts = index === 0 ? ends : ends.flatMap(end => skip(spoken, end, between))
      ends = [...new Set(starts.flatMap(start => part(spoken, start)))]
    }
    return ends
  }
}

/** A position and those after each word that may be passed over. @param {string[]} spoken @param {number} at @param {Set<string>} over */
export function skip(spoken, at, over) {
  const positions = [at]
  while (over.has(spoken[/** @type {number} */ (positions.at(-1))]))
    positions.push(/** @type {number} */ (positions.at(-1)) + 1)
  return positions
}

/** In one number, digit by digit, in groups, or with its decimal point. @param {string} token @returns {Part} */
function numberPart(token) {
  const text = token.slice(1)
  return (spoken, at) => [
    ...(spoken[at] === token ? [at + 1] : []),
    ...decimalEnds(text, spoken, at),
    ...groupEnds(text, spoken, at),
  ]
}

/** @param {string} text of a number @param {string[]} spoken @param {number} at */
function decimalEnds(text, spoken, at) {
  const [whole, decimals] = text.split('.')
  if (decimals === undefined || spoken[at] !== `#${whole}` || !DECIMAL_POINT.has(spoken[at + 1])) return []
  return spoken[at + 2] === `#${decimals}` ? [at + 3] : groupEnds(decimals, spoken, at + 2)
}

/** Numbers whose digits are those of one. @param {string} text @param {string[]} spoken @param {number} at @param {RegExp} [groups] */
function groupEnds(text, spoken, at, groups = /./) {
  const said = []
  for (let end = at; isNumber(spoken[end] ?? '') && said.join('').length < text.length; end += 1) {
    said.push(spoken[end].slice(1))
    if (said.length > 1 && said.join('') === text && groups.test(said.join(' '))) return [end + 1]
  }
  return []
}

/** "Twelve fifty euros" is not 1250: only single digits and thousands are joined. */
const MONEY_GROUPS = /^(?:\d(?: \d)+|\d{1,3}(?: \d{3})+)$/

/** @param {string} number @param {string} currency @returns {Part} */
function moneyPart(number, currency) {
  const text = number.slice(1)
  const cents = text.includes('.') ? Math.round((Number(text) % 1) * 100) : 0
  const isCurrency = oneOf([currency])
  /** @type {Part} */
  const amount = (spoken, at) => [
    ...(spoken[at] === number ? [at + 1] : []),
    ...decimalEnds(text, spoken, at),
    ...groupEnds(text, spoken, at, MONEY_GROUPS),
  ]
  const withCents = sequence([
    oneOf([`#${Math.trunc(Number(text))}`]),
    isCurrency,
    optional(['and', 'und']),
    oneOf([`#${cents}`]),
    optional([...CENTS]),
  ])
  const ways = [sequence([amount, isCurrency]), sequence([isCurrency, amount]), ...(cents > 0 ? [withCents] : [])]
  return (spoken, at) => [...new Set(ways.flatMap(way => way(spoken, at)))]
}

/**
 * @typedef {{ year: string, month: number, day: string, hour?: string, minute?: string, zone?: string }} Day
 * @param {Day} given @param {() => number} now @returns {Part[]}
 */
function dayParts({ year, month, day, hour, minute, zone = '' }, now) {
  const time = Date.UTC(Number(year), month - 1, Number(day))
  const weekday = new Date(time).getUTCDay()
  /** @type {Part} Another day of the week would be another day. */
  const itsWeekday = (spoken, at) => {
    const said = weekdayOf(spoken[at] ?? '')
    return said === undefined ? [at] : said === weekday ? [at + 1] : []
  }
  const [dayOfMonth, monthName, inYear] = [
    oneOf([`#${Number(day)}`]),
    oneOf([`month:${month}`]),
    numberPart(`#${year}`),
  ]
  /** @type {Part} */
  const itsYear = (spoken, at) => [...inYear(spoken, at), ...(Math.abs(time - now()) < NEAR_MS ? [at] : [])]
  const orders = [
    [dayOfMonth, monthName],
    [monthName, dayOfMonth],
  ].map(date => sequence([nothing, itsWeekday, ...date, itsYear], AROUND_TIME))
  /** @type {Part} */
  const date = (spoken, at) => [...new Set(orders.flatMap(order => order(spoken, at)))]
  if (hour === undefined) return [date]
  const clock = clockTokens([Number(hour), Number(minute)]).map(numberPart)
  const itsZone = spokenTokens(zone).map(token => optional([token]))
  return [sequence([date, ...clock, nothing, ...itsZone, nothing], AROUND_TIME)]
}

/** @type {Part} */
function nothing(_spoken, at) {
  return [at]
}
