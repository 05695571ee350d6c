// E-mail addresses, phone numbers, web addresses and names in a text. The work is linear in the text.
import { findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js'

import { emailProblem } from './email-rule.js'
import { parsedUrl, webAddress } from './web-address.js'

/** Characters around an address in running text. */
const OPENING = '<("\'[«“„‘（【'
const CLOSING = '>)"\'].,;:!?»”’）】。，、'

/**
 * A loop: a pattern that is anchored to the end takes quadratic time on a run of such characters.
 * @param {string} word
 */
function trimmed(word) {
  let [start, end] = [0, word.length]
  while (start < end && OPENING.includes(word[start])) start += 1
  while (end > start && CLOSING.includes(word[end - 1])) end -= 1
  return word.slice(start, end)
}

/** @param {RegExp} separators @param {string} text */
const wordsBetween = (separators, text) => text.split(separators).map(trimmed)
/** @param {string[]} values */
const unique = values => [...new Set(values)]

/** @param {string} text @returns {string[]} well-formed addresses, each once, as written */
export const emailsIn = text => unique(emailWords(text).filter(word => emailProblem(word) === null))

const LONGEST_EMAIL = 254

/** @param {string} text @returns {string[]} what has the sign of an address and is none, each once, shortened */
export const brokenEmailsIn = text =>
  unique(emailWords(text).filter(word => /[^@]@/.test(word) && emailProblem(word) !== null)).map(word =>
    word.slice(0, LONGEST_EMAIL),
  )

/** @param {string} text */
const emailWords = text =>
  wordsBetween(/[\s|,;<>()，；、（）]+/, text)
    .map(word => word.replace(/^mailto:/i, ''))
    .filter(word => word.includes('@'))

/** @param {string} text @returns {string[]} `http` and `https` addresses, and `www.` ones with `https` before them */
export function urlsIn(text) {
  const words = wordsBetween(/[\s|<>"，、（）]+/, text).filter(word => /^(?:https?:\/\/|www\.)./i.test(word))
  return unique(words.map(word => (/^www\./i.test(word) ? `https://${word}` : word)).filter(isWebAddress))
}

/** A host with a comma or the like is a wrongly cut text. @param {string} text */
const isWebAddress = text => webAddress(text) !== null && /^[a-z0-9.-]+$|^\[/.test(parsedUrl(text)?.hostname ?? '')

/** Digits in groups, with at most one bracketed area code. */
const DIGITS = /(?<![\p{L}\p{N}@+./:-])(?:\(\d{2,5}\)[ /-]?)?\d{1,15}(?:[ ./-]\d{1,8}){0,6}(?![\p{L}\p{N}@:])/gu
/** How national numbers begin, or are grouped; what is grouped otherwise is a date, a price or another number. */
const NATIONAL = /^(?:\(|0\d+\D|0\d{8})|^\d{3}([ .-])\d{3}\1\d{4}$|^\d{3}-\d{4}$/
const DATE = /^\d{1,4}([-./])\d{1,2}\1\d{1,4}(?: |$)/

/**
 * @param {string} text
 * @param {string} [region] ISO 3166 code for numbers without an international prefix
 * @returns {string[]} each once: valid numbers in E.164 form, then those as written whose country is not known
 */
export function phonesIn(text, region) {
  const options = isSupportedCountry(region ?? '') ? { defaultCountry: region } : {}
  const found = findPhoneNumbersInText(text, /** @type {object} `v2` is not in the types */ ({ ...options, v2: true }))
  let rest = ''
  let at = 0
  for (const { startsAt, endsAt } of found) {
    rest += `${text.slice(at, startsAt)}\n`
    at = endsAt
  }
  return unique([...found.map(({ number }) => number.number), ...nationalIn(rest + text.slice(at))])
}

/** @param {string} text @returns {string[]} */
function nationalIn(text) {
  const runs = (text.match(DIGITS) ?? []).filter(run => NATIONAL.test(run) && !DATE.test(run))
  return runs.filter(run => {
    const digits = run.replace(/\D/g, '').length
    return digits >= 7 && digits <= 15
  })
}

const NAME =
  /^(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx)\.? )?\p{Lu}[\p{L}\p{M}'’.-]*(?: (?:(?:van|von|de|da|del|der|di|la|le|bin|al) )*\p{Lu}[\p{L}\p{M}'’.-]*){1,3}$/u
const LONGEST_NAME = 80
/** A name within a sentence. */
const NAME_WITHIN =
  /(?<![\p{L}\p{N}@._-])(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx)\.? )?\p{Lu}[\p{L}\p{M}'’-]*(?: (?:(?:van|von|de|da|del|der|di|la|le|bin|al) ){0,3}\p{Lu}[\p{L}\p{M}'’-]*){1,3}(?![\p{L}\p{N}@])/gu
/** Words with a capital letter before a name, at the beginning of a sentence. */
const BEFORE_NAME =
  /^(?:(?:also|and|ask|call|contact|dear|e-?mail|for|from|hello|hi|invite|mail|meet|message|or|our|phone|please|reach|ring|text|the|then|to|with|write) )+/i
/** Openings that have the shape of a name. */
const NOT_NAMES = /^(?:best regards|kind regards|warm regards|many thanks|thank you|yours sincerely|dear )/i

/**
 * Only names in scripts with capital letters are recognized.
 * @param {string} text
 * @returns {string | null} the first part of a line that has the form of a name
 */
export function nameIn(text) {
  const parts = text.split(/[\n|,;<(:]/).map(part => part.trim().replaceAll(/\s+/g, ' '))
  return parts.find(part => part.length <= LONGEST_NAME && NAME.test(part) && !NOT_NAMES.test(part)) ?? null
}

/** @param {string} line @returns {string[]} the parts of an enumeration: each ends at a separator, or after an address */
export function partsOf(line) {
  return line
    .split(/[|,;]/)
    .flatMap(part => part.split(/(?<=@\S{1,254})\s+/))
    .map(part => part.trim().replace(/^(?:and|or|&|und|oder|et|y) /i, ''))
    .filter(part => part !== '')
}

/** @param {string} text @returns {string} without the words that are addresses */
export const withoutAddresses = text =>
  text
    .split(/\s+/)
    .filter(word => !word.includes('@'))
    .join(' ')

/**
 * The parts of a sentence that names several people, each with its name: the addresses of each follow the name, or stand
 * before it. Empty if it is not so: an address must not become another person's.
 * @param {string} sentence
 * @param {(part: string) => boolean} isReachable whether a part has an address
 * @returns {{ name: string, part: string }[]}
 */
export function namedParts(sentence, isReachable) {
  const names = [...sentence.matchAll(NAME_WITHIN)].flatMap(({ 0: words, index }) => {
    const name = words.replace(BEFORE_NAME, '')
    return NAME.test(name) ? [{ name, start: index + words.length - name.length, end: index + words.length }] : []
  })
  if (names.length < 2) return []
  const after = names.map(({ name, start }, at) => ({ name, part: sentence.slice(start, names[at + 1]?.start) }))
  const before = names.map(({ name, end }, at) => ({ name, part: sentence.slice(names[at - 1]?.end ?? 0, end) }))
  const first = sentence.slice(0, names[0].start)
  const last = sentence.slice(names.at(-1)?.end)
  const fits = (/** @type {typeof after} */ parts) => parts.every(({ part }) => isReachable(part))
  if (!isReachable(first) && fits(after)) return after
  return !isReachable(last) && fits(before) ? before : []
}
