// Classifies a user's utterance as yes or no to a question. Only whole phrases match; after any other utterance the
// model asks again, and the button still works.

import { consentLanguages } from '../settings/consent-languages.js'

/** @type {Record<import('../settings/consent-languages.js').ConsentLanguage, Record<'yes' | 'no', string[]>>} */
const PHRASES = {
  en: {
    yes: [
      'yes',
      'yes please',
      'yes do it',
      'yes do that',
      'yes go ahead',
      'i confirm',
      'confirm',
      'confirmed',
      'go ahead',
      'please do',
    ],
    no: [
      'no',
      'no thanks',
      'no thank you',
      'no do not',
      "no don't",
      'do not do it',
      "don't do it",
      'cancel',
      'cancel it',
    ],
  },
  de: {
    yes: [
      'ja',
      'ja bitte',
      'ja gerne',
      'ja mach das',
      'ja machen sie das',
      'ich bestätige',
      'bestätigt',
      'mach das',
      'machen sie das',
    ],
    no: [
      'nein',
      'nein danke',
      'nein bitte nicht',
      'bitte nicht',
      'abbrechen',
      'mach das nicht',
      'machen sie das nicht',
    ],
  },
  fr: {
    yes: [
      'oui',
      "oui s'il vous plaît",
      "oui s'il te plaît",
      'oui vas-y',
      'oui allez-y',
      'je confirme',
      'confirmé',
      'vas-y',
      'allez-y',
    ],
    no: ['non', 'non merci', 'surtout pas', 'annule', 'annulez'],
  },
  es: {
    yes: ['sí', 'sí por favor', 'sí adelante', 'confirmo', 'confirmado', 'adelante', 'hazlo', 'hágalo'],
    no: ['no', 'no gracias', 'cancela', 'cancelar', 'no lo hagas', 'no lo haga'],
  },
  it: {
    yes: ['sì', 'sì grazie', 'sì per favore', 'confermo', 'confermato', 'procedi', 'proceda'],
    no: ['no', 'no grazie', 'annulla', 'non farlo', 'non lo faccia'],
  },
}

/**
 * @param {boolean | { languages: string[] }} [option] the languages whose phrases answer; true: all that are known
 * @returns {null | ((text: string) => 'yes' | 'no' | null)} null if no word answers
 * @throws {TypeError} if a language is not known
 */
export function spokenConsentMatcher(option = false) {
  const languages = consentLanguages(option)
  if (languages.length === 0) return null
  /** @type {Map<string, 'yes' | 'no'>} */
  const answers = new Map()
  for (const answer of /** @type {const} */ (['yes', 'no'])) {
    for (const phrase of languages.flatMap(language => PHRASES[language][answer]))
      answers.set(normalize(phrase), answer)
  }
  return text => answers.get(normalize(text)) ?? null
}

/** Removes differences of case, punctuation, spaces and Unicode form. Accents stay significant. @param {string} text */
function normalize(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim()
}
