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
export function emailsIn(text) {
  const words = wordsBetween(/[\s|,;<>()，；、（）]+/, text).map(word => word.replace(/^mailto:/i, ''))
  return unique(words.filter(word => word.includes('@') && emailProblem(word) === null))
}

/** @param {string} text @returns {string[]} `http` and `https` addresses, and `www.` ones with `https` before them */
export function urlsIn(text) {
  const words = wordsBetween(/[\s|<>"，、（）]+/, text).filter(word => /^(?:https?:\/\/|www\.)./i.test(word))
  return unique(words.map(word => (/^www\./i.test(word) ? `https://${word}` : word)).filter(isWebAddress))
}

/** A host with a comma or the like is a wrongly cut text. @param {string} text */
const isWebAddress = text => webAddress(text) !== null && /^[a-z0-9.-]+$|^\[/.test(parsedUrl(text)?.hostname ?? '')

/**
 * @param {string} text
 * @param {string} region ISO 3166 code for numbers without an international prefix; an unknown one finds only those
 *   with
 * @returns {string[]} valid numbers in E.164 form, each once
 */
export function phonesIn(text, region) {
  const options = isSupportedCountry(region) ? { defaultCountry: region } : {}
  return unique(
    findPhoneNumbersInText(text, /** @type {object} `v2` is not in the types */ ({ ...options, v2: true })).map(
      ({ number }) => number.number,
    ),
  )
}

const NAME =
  /^(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx)\.? )?\p{Lu}[\p{L}\p{M}'’.-]*(?: (?:(?:van|von|de|da|del|der|di|la|le|bin|al) )*\p{Lu}[\p{L}\p{M}'’.-]*){1,3}$/u
const LONGEST_NAME = 80
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
