// Foreign text as people must see it: hidden characters, which could reorder or hide what stands around them, are escapes
// of JSON. The core says which characters those are.

import { HIDDEN_CHARACTERS } from './hidden-characters.js'

export interface VisibleText {
  /** A text in one line. */
  text(text: string): string
  /** The JSON of a value, indented: the same value. */
  json(value: unknown): string
  /** Whether all characters of a text are seen as they are. */
  isVisible(text: string): boolean
}

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const PATTERN = new RegExp(HIDDEN_CHARACTERS, 'gu')
const text = (shown: string) => shown.replace(PATTERN, escaped)

/** How to show arguments, results and messages. */
export const visible: VisibleText = {
  text,
  isVisible: shown => text(shown) === shown,
  // Line breaks of the JSON text are those of the indentation: those in strings are escapes already.
  json: value => (JSON.stringify(value, null, 2) ?? 'undefined').split('\n').map(text).join('\n'),
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
  return SHORT[character] ?? units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
