// What a transcript says, as tokens that can be compared: words without case and diacritics, numbers as `#` and their
// value, whether they are written in digits or in English or German words, months as `month:` and their number. A time is its hour
// in 24 and, unless it is full, its minute. Of signs, those of an amount and of an address, `@` and the dot in a name, are tokens.

const UNITS = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  de: 'null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn',
}
const TENS = {
  en: 'twenty thirty forty fifty sixty seventy eighty ninety',
  de: 'zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig',
}
const ORDINALS_EN = {
  first: 1,
  second: 2,
  third: 3,
  fifth: 5,
  eighth: 8,
  ninth: 9,
  twelfth: 12,
  twentieth: 20,
  thirtieth: 30,
}
const ORDINALS_DE = { erst: 1, dritt: 3, siebt: 7, acht: 8 }
/** @type {Record<string, string>} */
const CURRENCIES = {
  '€': 'euro',
  eur: 'euro',
  euros: 'euro',
  $: 'dollar',
  usd: 'dollar',
  dollars: 'dollar',
  '£': 'pound',
  gbp: 'pound',
  pounds: 'pound',
  pfund: 'pound',
  chf: 'franc',
  francs: 'franc',
  franken: 'franc',
  jpy: 'yen',
  '¥': 'yen',
}
export const CURRENCY_NAMES = new Set(Object.values(CURRENCIES))
/** Units and signs in their long form. @type {Record<string, string>} */
const UNIT_NAMES = {
  '%': 'percent',
  prozent: 'percent',
  negative: 'minus',
  km: 'kilometer',
  kilometers: 'kilometer',
  kilometre: 'kilometer',
  kilometres: 'kilometer',
  kg: 'kilo',
  kilos: 'kilo',
  kilogram: 'kilo',
  kilograms: 'kilo',
  kilogramm: 'kilo',
  min: 'minute',
  minutes: 'minute',
  minuten: 'minute',
  millionen: 'million',
}
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it']
const AFTER_NOON = /^(?:pm|afternoon|evening|nachmittags?|abends?)$/
/** How many words may stand between an hour and its part of the day: "four o'clock in the afternoon". */
const DAY_PART_REACH = 5
const ORDINAL_END = /^(?:st|nd|rd|th)$/

/** @param {string} text @returns {string} */
function fold(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}

/** @type {Map<string, number>} */
const MONTHS = new Map(
  LANGUAGES.flatMap(language =>
    /** @type {const} */ (['long', 'short']).flatMap(month => {
      const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      return Array.from(
        { length: 12 },
        (_, at) => /** @type {[string, number]} */ ([fold(format(Date.UTC(2030, at, 15))).replace('.', ''), at + 1]),
      )
    }),
  ),
)

/** Days of the week from Sunday, 0; the short ones of English alone, because others are words. @type {Map<string, number>} */
const WEEKDAYS = new Map(
  LANGUAGES.flatMap(language =>
    (language === 'en' ? /** @type {const} */ (['long', 'short']) : /** @type {const} */ (['long'])).flatMap(
      weekday => {
        const { format } = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' })
        // The fourth of January 2026 is a Sunday.
        return Array.from({ length: 7 }, (_, at) => pair(fold(format(Date.UTC(2026, 0, 4 + at))).replace('.', ''), at))
      },
    ),
  ),
)

/** @param {string} word @returns {number | undefined} the day of the week, from Sunday, 0 */
export function weekdayOf(word) {
  return WEEKDAYS.get(fold(word))
}

/** Numbers below 1000 of one word. @type {Map<string, number>} */
const NUMBERS = new Map([...englishNumbers(), ...germanNumbers()])

const ISO = /\b(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})[\d:.]*(?:[Zz]|[+-]\d{2}:?\d{2})?)?/g
const DOTTED = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g
const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Days as they are shown: `2030-05-06T16:30Z` and `6.5.2030` as `6 May 2030`. @param {string} text @returns {string} */
export function withDaysInWords(text) {
  return text
    .replace(ISO, (whole, year, month, day, hour, minute) => {
      const name = MONTH_NAMES[Number(month) - 1]
      return name === undefined
        ? whole
        : `${Number(day)} ${name} ${year}${hour === undefined ? '' : `, ${hour}:${minute}`}`
    })
    .replace(DOTTED, (whole, day, month, year) => {
      const name = MONTH_NAMES[Number(month) - 1]
      return name === undefined ? whole : `${Number(day)} ${name} ${year}`
    })
}

/** @param {string} text @returns {string[]} */
export function spokenTokens(text) {
  const plain = fold(withDaysInWords(text))
    .replace(/\b([ap])\.?\s?m\b\.?/g, '$1m')
    .replace(/\be-mail/g, 'email')
    .replace(/(?<![\p{L}\d])[-−](?=\d)/gu, ' minus ')
    .replace(/\b(?:us|u\.s\.)[ -](?=dollars?\b|\$)/g, ' ')
  const raw = plain.match(/\d{1,2}:\d{2}(?!\d)|\d+(?:[.,]\d+)*|\p{L}+|[€$£¥%@]|(?<=[\p{L}\d])\.(?=\p{L})/gu) ?? []
  return inTwentyFourHours(joinNumbers(raw.flatMap((token, at) => tokensOf(token, raw[at - 1]))))
}

/** @param {string} token @returns {boolean} */
export function isNumber(token) {
  return token.startsWith('#')
}

/** @param {string} token @param {string | undefined} before */
function tokensOf(token, before) {
  if (token.includes(':')) return clockTokens(token.split(':').map(Number)).map(inDigits)
  if (/^\d/.test(token)) return [inDigits(`#${valueOf(token)}`)]
  if (ORDINAL_END.test(token) && /^\d+$/.test(before ?? '')) return []
  const month = MONTHS.get(token)
  if (month !== undefined) return [`month:${month}`]
  const number = NUMBERS.get(token) ?? thousandsOf(token)
  return [number === undefined ? (CURRENCIES[token] ?? UNIT_NAMES[token] ?? token) : `#${number}`]
}

/** @param {number[]} clock @returns {string[]} */
export function clockTokens([hour, minute]) {
  return minute === 0 ? [`#${hour}`] : [`#${hour}`, `#${minute}`]
}

/** Numbers in digits are complete, and marked until numbers in words are joined. @param {string} number */
function inDigits(number) {
  return `=${number.slice(1)}`
}

/** Of digits with separators: the last one is the decimal one if one or two digits follow. @param {string} digits */
function valueOf(digits) {
  const [, whole, decimals = ''] = /** @type {RegExpExecArray} */ (/^([\d.,]*?\d)(?:[.,](\d{1,2}))?$/.exec(digits))
  return Number(`${whole.replace(/[.,]/g, '')}.${decimals || 0}`)
}

/** A German number from 1000, as one word. @param {string} word */
function thousandsOf(word) {
  const [, before, after] = /^(.*)tausend(.*)$/.exec(word) ?? []
  if (before === undefined) return undefined
  const [thousands, rest] = [
    before === '' || before === 'ein' ? 1 : NUMBERS.get(before),
    after === '' ? 0 : NUMBERS.get(after),
  ]
  return thousands === undefined || rest === undefined ? undefined : thousands * 1000 + rest
}

/** Joins numbers of several English words: "twenty one", "two hundred and five". @param {string[]} tokens */
function joinNumbers(tokens) {
  /** @type {string[]} */
  const joined = []
  let [millions, thousands, below] = [0, 0, /** @type {number | null} */ (null)]
  const flush = () => {
    if (below !== null) joined.push(`#${millions + thousands + below}`)
    ;[millions, thousands, below] = [0, 0, null]
  }
  for (const [at, token] of tokens.entries()) {
    const isAfterScale = /^(?:hundred|thousand|million)$/.test(tokens[at - (tokens[at - 1] === 'and' ? 2 : 1)] ?? '')
    if (token === 'hundred') below = (below || 1) * 100
    else if (token === 'thousand') [thousands, below] = [(below || 1) * 1000, 0]
    else if (token === 'million' && below !== null) [millions, below] = [Math.round(below * 1e6), 0]
    else if (token.startsWith('=')) {
      flush()
      below = Number(token.slice(1))
    } else if (isNumber(token)) {
      const value = Number(token.slice(1))
      const isInDigits = tokens[at - 1]?.startsWith('=')
      if (below !== null && (isInDigits || !(isAfterScale || isUnitOf(below, value)))) flush()
      below = (below ?? 0) + value
    } else if (token !== 'and' || !isAfterScale || !isNumber(tokens[at + 1] ?? '')) {
      flush()
      joined.push(token)
    }
  }
  flush()
  return joined
}

/** Whether a number is the last word of one like "twenty one". @param {number} before @param {number} value */
function isUnitOf(before, value) {
  return before % 10 === 0 && before % 100 >= 20 && value > 0 && value < 10
}

/** @param {string[]} tokens */
function inTwentyFourHours(tokens) {
  const hours = [...tokens]
  for (const [at, token] of tokens.entries()) {
    const isBefore = token === 'am'
    if (!isBefore && !AFTER_NOON.test(token)) continue
    const reach = hours.slice(Math.max(0, at - (isBefore ? 2 : DAY_PART_REACH)), at)
    const last = reach.findLastIndex(isNumber)
    const place = isHour(reach, last - 1) ? last - 1 : last
    const hour = place < 0 ? NaN : Number(reach[place].slice(1))
    const from = at - reach.length + place
    if (isBefore && hour === 12) hours[from] = '#0'
    if (!isBefore && hour >= 1 && hour < 12) hours[from] = `#${hour + 12}`
  }
  return hours.filter(token => token !== 'am' && token !== 'pm')
}

/** Of two numbers that stand together the first one is the hour, unless it is a day or a year. @param {string[]} tokens @param {number} at */
function isHour(tokens, at) {
  return isNumber(tokens[at] ?? '') && Number(tokens[at].slice(1)) <= 12 && !tokens[at - 1]?.startsWith('month:')
}

/** @returns {[string, number][]} */
function englishNumbers() {
  const [units, tens] = [UNITS.en.split(' '), TENS.en.split(' ')]
  /** @type {[string, number][]} */
  const cardinals = [...units.map((word, at) => pair(word, at)), ...tens.map((word, at) => pair(word, 20 + 10 * at))]
  return [...cardinals, ...cardinals.map(([word, value]) => pair(`${word}th`, value)), ...Object.entries(ORDINALS_EN)]
}

/** @returns {[string, number][]} */
function germanNumbers() {
  const [units, tens] = [UNITS.de.split(' '), TENS.de.split(' ')]
  const joining = (/** @type {number} */ unit) => (unit === 1 ? 'ein' : units[unit])
  const below100 = [
    ...units,
    ...tens.flatMap(ten => [ten, ...Array.from({ length: 9 }, (_, at) => `${joining(at + 1)}und${ten}`)]),
  ].map((word, at) => pair(word, at))
  const hundreds = Array.from({ length: 9 }, (_, at) => at + 1).flatMap(count => [
    pair(`${joining(count)}hundert`, 100 * count),
    ...below100.slice(1).map(([word, value]) => pair(`${joining(count)}hundert${word}`, 100 * count + value)),
  ])
  const one = ['ein', 'eine', 'einen', 'einer', 'einem'].map(word => pair(word, 1))
  const stems = [
    ...below100.slice(1, 100).map(([word, value]) => pair(`${word}${value < 20 ? 't' : 'st'}`, value)),
    ...Object.entries(ORDINALS_DE),
  ]
  const ordinals = stems.flatMap(([stem, value]) => ['e', 'en', 'er', 'es', 'em'].map(end => pair(stem + end, value)))
  return [...below100, ...hundreds, ...one, pair('hundert', 100), ...ordinals]
}

/** @param {string} word @param {number} value @returns {[string, number]} */
function pair(word, value) {
  return [word, value]
}
