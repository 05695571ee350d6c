// Splits JSON text into tokens for syntax colours.

export interface JsonToken {
  kind: 'plain' | 'key' | 'text' | 'number' | 'word'
  text: string
}

/** The text beyond this length is one plain token, to keep the page responsive. */
const COLOURED = 40_000
const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  const head = text.slice(0, COLOURED)
  let end = 0
  for (const match of head.matchAll(PIECE)) {
    const [whole, string, colon, number] = match
    if (match.index > end) tokens.push({ kind: 'plain', text: head.slice(end, match.index) })
    end = match.index + whole.length
    if (string === undefined) tokens.push({ kind: number === undefined ? 'word' : 'number', text: whole })
    else tokens.push({ kind: colon === undefined ? 'text' : 'key', text: string }, { kind: 'plain', text: colon ?? '' })
  }
  return [...tokens, { kind: 'plain', text: text.slice(end) }]
}
