// Reads a tool's arguments out of an utterance: what the phrase's pattern captured, and the rest by the names, types,
// formats and enumerations of the tool's declared parameters.

import { later, numberOf, readMoments } from './moments.js'
import { readRows } from './rows.js'
import { languageIn } from './languages.js'
import { zoneIn } from './zones.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Clock } from './clock.js'
 * @import { Moments } from './moments.js'
 * @import { Fit, Span } from './pattern.js'
 */

const ADDRESS = /[^\s<>,;:()"]*@[^\s<>,;:()"]*[^\s<>,;:()"?!.]/g
const DEFAULT_SECONDS = 1800

/**
 * @typedef {{ name: string, parameters?: JsonObject }} ToolDeclaration as the client declared it
 *
 * @typedef {object} Reading
 * @property {JsonObject} args
 * @property {string[]} missing names of required parameters that the utterance has nothing for
 * @property {JsonObject} nulls required parameters whose value may be null: in a strict declaration, those that can be left out
 * @property {Moments} moments
 * @property {Span[]} taken what of the utterance became arguments
 * @property {boolean} isClear false if a parameter takes a time, and that of the utterance is not clear
 *
 * @typedef {{ text: string } & Pick<Fit, 'captured' | 'spans'>} Utterance with what the intent's pattern captured
 *
 * @typedef {object} Words what a parameter's value is read from
 * @property {string} text
 * @property {string} loose the text with blanks in place of what the pattern captured
 * @property {Record<string, string>} captured by the pattern, by parameter
 * @property {Moments} moments
 * @property {{ value: number, span: Span }[]} numbers that no other parameter has taken, in order
 * @property {Span[]} taken
 * @property {Clock} clock
 * @property {boolean} areTimesRead
 */

/** The e-mail addresses in a text, also malformed ones. @param {string} text @returns {string[]} */
export const addressesIn = text => text.match(ADDRESS) ?? []

const PERIOD =
  /(?:(?:over|in|for|after|within|across) )?\b(?<count>\d+(?:[.,]\d+)?|an?|one|two|three|four|five|ten|eighteen|half a) (?<unit>year|month)s?\b/i

/**
 * @param {ToolDeclaration} tool
 * @param {Utterance} utterance
 * @param {Clock} clock
 * @returns {Reading}
 */
export function readArguments({ parameters = {} }, utterance, clock) {
  const { properties = {}, required: declared = [] } = parameters
  const { text, captured, spans } = properties.language === undefined ? utterance : withoutLanguage(utterance)
  const isNullable = (/** @type {string} */ name) => takesNull(properties[name] ?? {})
  const required = declared.filter((/** @type {string} */ name) => !isNullable(name))
  const moments = readMoments(text, clock)
  /** @type {Words} */
  const words = {
    text,
    loose: without(text, spans),
    captured,
    moments,
    numbers: numbersIn(text),
    clock,
    taken: [],
    areTimesRead: false,
  }
  /** @type {[string, unknown][]} */
  const read = Object.entries(properties).map(([name, schema]) => [
    name,
    valueOf(name, schema, words, required.includes(name)),
  ])
  // A client that declares no parameters leaves the captured words.
  const found = read.length === 0 ? Object.entries(captured) : read.filter(([, value]) => value !== undefined)
  const args = Object.fromEntries(found)
  const missing = required.filter((/** @type {string} */ name) => !Object.hasOwn(args, name))
  const nulls = Object.fromEntries(declared.filter(isNullable).map((/** @type {string} */ name) => [name, null]))
  const whole = Object.keys(args).flatMap(name => (spans[name] === undefined ? [] : [spans[name]]))
  const isClear = moments.isClear || !words.areTimesRead
  return { args, missing, nulls, moments, isClear, taken: [...words.taken, ...whole] }
}

/** A language at the end is that of the text: `about the review in German`. @param {Utterance} utterance @returns {Utterance} */
function withoutLanguage({ text, captured, spans }) {
  const closing = / in \p{Lu}\p{L}+$/u.exec(text)
  const last = Object.keys(spans).find(name => name !== 'text' && spans[name][1] === text.length)
  if (closing === null || last === undefined || languageIn(closing[0]) === undefined) return { text, captured, spans }
  const [from] = spans[last]
  return {
    text,
    captured: { ...captured, [last]: text.slice(from, closing.index) },
    spans: { ...spans, [last]: [from, closing.index] },
  }
}

/** @param {string} text @param {Record<string, Span>} spans */
const without = (text, spans) =>
  Object.values(spans).reduce((left, [from, to]) => left.slice(0, from) + ' '.repeat(to - from) + left.slice(to), text)

/** @param {JsonObject} schema @returns {boolean} */
const takesNull = ({ type, anyOf = [] }) => [type].flat().includes('null') || anyOf.some(takesNull)

/**
 * @param {string} name
 * @param {JsonObject} schema
 * @param {Words} words
 * @param {boolean} required
 * @returns {unknown} undefined: nothing fits
 */
function valueOf(name, schema, words, required) {
  const type = String([schema.type].flat()[0] ?? 'string').toLowerCase()
  const captured = words.captured[name]
  if (schema.enum !== undefined) return enumValue(schema.enum, name, words)
  if (schema.format === 'date-time') return momentValue(name, words)
  if (type === 'array') return listValue(name, schema, words)
  if (type === 'number' || type === 'integer') return numberValue(name, schema, words, required)
  if (type !== 'string') return undefined
  if (/e-?mail/.test(name)) return captured ?? takenFrom(words, wholeAddress)
  if (/time_?zone/i.test(name)) return takenFrom(words, zoneIn)
  if (/^(?:lang|language)$/i.test(name)) return takenFrom(words, languageIn, words.loose)
  const value = captured?.trim() ?? ''
  return value === '' || value.length > (schema.maxLength ?? Infinity) ? undefined : value
}

/**
 * @param {Words} words
 * @param {(text: string) => { value: string, span: Span } | undefined} find
 * @param {string} [text] where to look
 */
function takenFrom({ text: whole, taken }, find, text = whole) {
  const found = find(text)
  if (found !== undefined) taken.push(found.span)
  return found?.value
}

/** @param {string} text */
function wholeAddress(text) {
  const [address] = text.matchAll(ADDRESS)
  /** @type {{ value: string, span: Span } | undefined} */
  const found = address && { value: address[0], span: [address.index, address.index + address[0].length] }
  return found
}

/** Words of a topic are none of an enumeration, except at its end: `a bicycle in portrait format`. @param {unknown[]} values @param {string} name @param {Words} words */
function enumValue(values, name, { text, loose, captured, taken }) {
  for (const value of values.filter(one => one !== null)) {
    const said = `\\b${literal(String(value)).replaceAll('_', '[ _-]')}\\b`
    if (captured[name] !== undefined && new RegExp(said, 'i').test(captured[name])) return value
    const match =
      new RegExp(`${said}(?: (?:format|mode|orientation|calendar|tone))?`, 'i').exec(loose) ??
      new RegExp(`\\b(?:in|as) (?:an? )?${said}(?: (?:format|mode|orientation))?$`, 'i').exec(text)
    if (match !== null) {
      taken.push([match.index, match.index + match[0].length])
      return value
    }
  }
  return undefined
}

/** @param {string} name @param {Words} words */
function momentValue(name, words) {
  const { moments, clock, text, taken } = words
  words.areTimesRead = true
  const { start, end, range, seconds, dates, durations } = moments
  // A window of time is no moment.
  if (start !== null || /date|start|end|from|begin|until|to$/.test(name)) taken.push(...dates)
  const isDay = /date/.test(name)
  // It makes an end, unless one was said.
  if (/end|until|to$/.test(name) && end === null && (start !== null || !isDay)) taken.push(...durations)
  if (/start|from|begin/.test(name))
    return isDay ? ((end === null ? range?.start : start) ?? undefined) : (start ?? undefined)
  if (/end|until|to$/.test(name)) {
    if (isDay) return (end === null ? range?.end : end) ?? undefined
    return end ?? (start === null ? undefined : later(start, seconds ?? DEFAULT_SECONDS))
  }
  return (
    start ??
    (/\btime is it\b|^(?:the )?(?:local )?time in\b|\b(?:is|'s) the time\b|\bnow\b|\bcurrent/i.test(text)
      ? later(readMoments('now', clock).start ?? '', 0)
      : undefined)
  )
}

/** @param {string} name @param {JsonObject} schema @param {Words} words */
function listValue(name, schema, { text, captured, taken }) {
  const { items = {} } = schema
  if (items.format === 'email' || /attendee|recipients|invitee/.test(name)) {
    const addresses = [...text.matchAll(ADDRESS)]
    taken.push(...addresses.map(({ 0: { length }, index }) => /** @type {Span} */ ([index, index + length])))
    return addresses.length === 0 ? undefined : addresses.map(([address]) => address)
  }
  if (items.enum !== undefined) {
    const named = items.enum.filter((/** @type {string} */ value) => {
      const match = new RegExp(`\\b${literal(String(value))}(?:'s)? (?:calendars?|${literal(name)})`, 'i').exec(text)
      if (match) taken.push([match.index, match.index + match[0].length])
      return match !== null
    })
    return named.length === 0 ? undefined : named
  }
  if (items.format === 'uri') return text.match(/https?:\/\/[^\s,]+/g) ?? undefined
  if (String(items.type ?? '').toLowerCase() === 'object') return readRows(items, captured[name] ?? text)
  const one = captured[name]?.trim()
  return one === undefined || one === '' ? undefined : [one]
}

/** @param {string} name @param {JsonObject} schema @param {Words} words @param {boolean} required */
function numberValue(name, { minimum, maximum }, words, required) {
  const { text, captured, moments, numbers, taken } = words
  const within = (/** @type {number} */ value) => Math.min(maximum ?? value, Math.max(minimum ?? value, value))
  const isWithin = (/** @type {number} */ value) => within(value) === value
  if (captured[name] !== undefined) {
    const value = numberOf(captured[name])
    return Number.isNaN(value) ? undefined : within(value)
  }
  const { seconds, durations } = moments
  if (/minutes|duration_seconds/.test(name)) {
    words.areTimesRead = true
    const value = seconds === null ? NaN : Math.round(seconds / (/minutes/.test(name) ? 60 : 1))
    if (!isWithin(value)) return undefined
    taken.push(...durations)
    return value
  }
  if (name === 'period') return periodIn(text, taken)
  const number = required ? numbers.shift() : undefined
  if (number !== undefined) taken.push(number.span)
  return number?.value
}

/** In years. @param {string} text @param {Span[]} taken */
function periodIn(text, taken) {
  const match = PERIOD.exec(text)
  if (match === null) return undefined
  taken.push([match.index, match.index + match[0].length])
  const { count = '', unit } = match.groups ?? {}
  const value = { 'half a': 0.5, eighteen: 18 }[count.toLowerCase()] ?? numberOf(count)
  return unit?.toLowerCase() === 'month' ? value / 12 : value
}

/** A pattern of exactly this text. @param {string} text */
const literal = text => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** @type {Record<string, number>} */
const FACTORS = { thousand: 1e3, million: 1e6, billion: 1e9 }

/** Amounts, without those of dates and addresses. @param {string} text */
function numbersIn(text) {
  const amounts = text
    .replaceAll(new RegExp(PERIOD, 'gi'), words => ' '.repeat(words.length))
    .matchAll(/(?<![\w.,:-])-?\d[\d.,]*(?:\s?[km]\b|\s(?<factor>thousand|million|billion)\b)?(?![\w:-])/gi)
  return [...amounts]
    .map(({ 0: amount, groups, index }) => ({
      value:
        numberOf(amount.replace(groups?.factor ?? '', '').replace(/[.,\s]+$/, '')) *
        (FACTORS[groups?.factor?.toLowerCase() ?? ''] ?? 1),
      span: /** @type {Span} */ ([index, index + amount.length]),
    }))
    .filter(({ value }) => !Number.isNaN(value))
}
