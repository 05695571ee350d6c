// Does an utterance match? Texts are compared without case, outer space and closing punctuation.

/**
 * @typedef {(utterance: string) => Record<string, string> | null} Matcher
 * gives the named groups of the match (empty where there are none), or null
 */

/**
 * @param {string | { contains?: string, regex?: string, flags?: string } | undefined} spec undefined matches everything
 * @returns {Matcher}
 * @throws {SyntaxError} when the regular expression does not compile
 */
export function compileMatcher(spec) {
  if (spec === undefined) return () => ({})
  if (typeof spec === 'string') {
    const wanted = plain(spec)
    return utterance => (plain(utterance) === wanted ? {} : null)
  }
  const regex = spec.regex === undefined ? null : new RegExp(spec.regex, spec.flags ?? 'i')
  const part = spec.contains === undefined ? '' : plain(spec.contains)
  return utterance => {
    if (!plain(utterance).includes(part)) return null
    if (regex === null) return {}
    const found = regex.exec(utterance.trim())
    return found === null ? null : namedGroups(found)
  }
}

function namedGroups(found) {
  const groups = Object.entries(found.groups ?? {}).filter(([, text]) => text !== undefined)
  return Object.fromEntries(groups)
}

function plain(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s.!?]+$/, '')
}
