// The languages in which a word can answer a question, and the setting that names some of them.

/** @typedef {'en' | 'de' | 'fr' | 'es' | 'it'} ConsentLanguage */

/** @type {ConsentLanguage[]} */
export const CONSENT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it']

/**
 * @param {boolean | { languages: string[] }} [option] the languages whose phrases answer; true: all that are known
 * @returns {ConsentLanguage[]} empty if no word answers
 * @throws {TypeError} if a language is not known
 */
export function consentLanguages(option = false) {
  if (option === false) return []
  const languages = option === true ? CONSENT_LANGUAGES : option?.languages
  if (!Array.isArray(languages) || languages.length === 0)
    throw new TypeError('`spokenConsent` must be true, false or `{ languages: [...] }`')
  const unknown = languages.find(language => !CONSENT_LANGUAGES.some(known => known === language))
  const known = CONSENT_LANGUAGES.join(', ')
  if (unknown !== undefined) throw new TypeError(`\`spokenConsent\`: unknown language \`${unknown}\`; known: ${known}`)
  return /** @type {ConsentLanguage[]} */ (languages)
}
