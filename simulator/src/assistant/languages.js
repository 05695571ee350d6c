// Languages by their English names, as BCP 47 tags.

/** @type {Map<string, string>} */
const tags = new Map(
  'ar bg ca cs da de el en es et fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh'
    .split(' ')
    .map(tag => [(new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag).toLowerCase(), tag]),
)

/**
 * The language that an utterance names, if any, and where: `in German`.
 *
 * @param {string} text
 * @returns {{ value: string, span: [from: number, to: number] } | undefined}
 */
export function languageIn(text) {
  for (const { 0: words, 1: name, index } of text.matchAll(/\b(?:in )?(\p{Lu}\p{L}+)\b/gu)) {
    const value = tags.get(name.toLowerCase())
    if (value !== undefined) return { value, span: [index, index + words.length] }
  }
  return undefined
}
