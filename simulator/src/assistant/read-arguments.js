// Reads a tool's arguments out of an utterance: what the phrase's pattern captured, and the rest by the names, types,
// formats and enumerations of the tool's declared parameters.

import { later, numberOf, readMoments } from './moments.js'
import { readRows } from './rows.js'
import { zoneIn } from './zones.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Clock } from './clock.js'
 * @import { Moments } from './moments.js'
 */

const ADDRESS = /[^\s<>,;:()"]*@[^\s<>,;:()"]*[^\s<>,;:()"?!.]/g
const DEFAULT_SECONDS = 1800
const DAY_SECONDS = 86_400

/**
 * @typedef {{ name: string, parameters?: JsonObject }} ToolDeclaration as the client declared it
 *
 * @typedef {object} Reading
 * @property {JsonObject} args
 * @property {string[]} missing names of required parameters that the utterance has nothing for
 * @property {JsonObject} nulls required parameters whose value may be null: in a strict declaration, those that can be left out
 * @property {Moments} moments
 *
 * @typedef {object} Words what a parameter's value is read from
 * @property {string} text
 * @property {Record<string, string>} captured by the pattern, by parameter
 * @property {Moments} moments
 * @property {number[]} numbers that no other parameter has taken, in order
 * @property {Clock} clock
 */

/** The e-mail addresses in a text, also malformed ones. @param {string} text @returns {string[]} */
export const addressesIn = text => text.match(ADDRESS) ?? []

/**
 * @param {ToolDeclaration} tool
 * @param {{ text: string, captured: Record<string, string> }} utterance
 * @param {Clock} clock
 * @returns {Reading}
 */
export function readArguments({ parameters = {} }, { text, captured }, clock) {
  const { properties = {}, required: declared = [] } = parameters
  const isNullable = (/** @type {string} */ name) => takesNull(properties[name] ?? {})
  const required = declared.filter((/** @type {string} */ name) => !isNullable(name))
  const moments = readMoments(text, clock)
  const years = /(\d+(?:\.\d+)?|one|two|three|four|five|ten) years?\b/i.exec(text)?.[1]
  const words = {
    text,
    captured: years === undefined ? captured : { period: years, ...captured },
    moments,
    numbers: numbersIn(text),
    clock,
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
  return { args, missing, nulls, moments }
}

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
  if (schema.enum !== undefined) return enumValue(schema.enum, captured ?? words.text)
  if (schema.format === 'date-time') return momentValue(name, words)
  if (type === 'array') return listValue(name, schema, words)
  if (type === 'number' || type === 'integer') return numberValue(name, schema, words, required)
  if (type !== 'string') return undefined
  if (/e-?mail/.test(name)) return addressesIn(words.text)[0] ?? captured
  if (/time_?zone/i.test(name)) return zoneIn(captured ?? words.text)
  return captured === undefined || captured.trim() === '' ? undefined : captured.trim().slice(0, schema.maxLength)
}

/** @param {unknown[]} values @param {string} text */
function enumValue(values, text) {
  return values.find(
    value => value !== null && new RegExp(`\\b${String(value).replaceAll('_', '[ _-]')}\\b`, 'i').test(text),
  )
}

/** @param {string} name @param {Words} words */
function momentValue(name, { moments, clock, text }) {
  const { start, end, range, seconds } = moments
  const isDay = /date/.test(name)
  if (/start|from|begin/.test(name))
    return isDay ? ((end === null ? range?.start : start) ?? undefined) : (start ?? undefined)
  if (/end|until|to$/.test(name)) {
    if (isDay) return (end === null ? range?.end : end) ?? undefined
    return (
      end ??
      (start === null ? undefined : later(start, seconds !== null && seconds < DAY_SECONDS ? seconds : DEFAULT_SECONDS))
    )
  }
  return (
    start ??
    (/\btime is it\b|\bnow\b|\bcurrent/i.test(text) ? later(readMoments('now', clock).start ?? '', 0) : undefined)
  )
}

/** @param {string} name @param {JsonObject} schema @param {Words} words */
function listValue(name, schema, { text, captured }) {
  const { items = {} } = schema
  if (items.format === 'email' || /attendee|recipients|invitee/.test(name)) {
    const addresses = addressesIn(text)
    return addresses.length === 0 ? undefined : addresses
  }
  if (items.enum !== undefined) {
    const named = items.enum.filter((/** @type {string} */ value) =>
      new RegExp(`\\b${value} (?:calendar|${name})`, 'i').test(text),
    )
    return named.length === 0 ? undefined : named
  }
  if (items.format === 'uri') return text.match(/https?:\/\/[^\s,]+/g) ?? undefined
  if (String(items.type ?? '').toLowerCase() === 'object') return readRows(items, captured[name] ?? text)
  const one = captured[name]?.trim()
  return one === undefined || one === '' ? undefined : [one]
}

/** @param {string} name @param {JsonObject} schema @param {Words} words @param {boolean} required */
function numberValue(name, { minimum, maximum }, { captured, moments, numbers }, required) {
  const within = (/** @type {number} */ value) => Math.min(maximum ?? value, Math.max(minimum ?? value, value))
  if (captured[name] !== undefined) {
    const value = numberOf(captured[name])
    return Number.isNaN(value) ? undefined : within(value)
  }
  const { seconds } = moments
  if (/minutes/.test(name))
    return seconds === null || seconds >= DAY_SECONDS ? undefined : within(Math.round(seconds / 60))
  if (/duration_seconds/.test(name)) return seconds === null ? undefined : within(seconds)
  return required ? numbers.shift() : undefined
}

/** Amounts, without those of dates and addresses. @param {string} text @returns {number[]} */
function numbersIn(text) {
  const amounts = text
    .replaceAll(/\b\d+(?:\.\d+)? years?\b/gi, ' ')
    .matchAll(/(?<![\w.,:-])-?\d[\d.,]*\s?[km]?(?![\w:-])/gi)
  return [...amounts].map(([amount]) => numberOf(amount.replace(/[.,]+$/, ''))).filter(value => !Number.isNaN(value))
}
