// Matches utterances. Texts are compared without case, outer whitespace and closing punctuation.

/** @import { UtterancePattern } from './types.js' */

/**
 * @typedef {(utterance: string) => Record<string, string> | null} Matcher
 * returns the named groups of the match (empty if there are none), or null
 */

/**
 * @param {UtterancePattern | undefined} spec undefined matches everything
 * @returns {Matcher}
 * @throws {SyntaxError} if the regular expression is invalid
 */
export function compileMatcher(spec) {
  if (spec === undefined) return () => ({})
  if (typeof spec === 'string') {
    const wanted = normalize(spec)
    return utterance => (normalize(utterance) === wanted ? {} : null)
  }
  const regex = spec.regex === undefined ? null : new RegExp(spec.regex, spec.flags ?? 'i')
  const part = spec.contains === undefined ? '' : normalize(spec.contains)
  return utterance => {
    if (!normalize(utterance).includes(part)) return null
    if (regex === null) return {}
    const found = regex.exec(utterance.trim())
    return found === null ? null : namedGroups(found)
  }
}

/** @param {RegExpExecArray} found */
function namedGroups(found) {
  const groups = Object.entries(found.groups ?? {}).filter(([, text]) => text !== undefined)
  return Object.fromEntries(groups)
}

/** @param {string} text */
function normalize(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s.!?]+$/, '')
}
