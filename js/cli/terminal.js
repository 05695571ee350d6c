'use strict'

// Capabilities of an output stream: colours and columns.

const { createColors } = require('picocolors')

/** The width for output that is not a terminal; the compiler's default. */
const PLAIN_WIDTH = 140
const MIN_WIDTH = 40

/**
 * Whether to colour: the last flag decides, then NO_COLOR (no-color.org), then FORCE_COLOR, then whether it is a
 * terminal.
 * @param {{ isTTY?: boolean }} stream
 * @param {{ argv?: string[], env?: Record<string, string | undefined> }} [from]
 */
function wantsColor(stream, { argv = process.argv, env = process.env } = {}) {
  const flags = argv.slice(2).filter(word => word === '--color' || word === '--no-color')
  if (flags.length > 0) return flags.at(-1) === '--color'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR)
  return stream.isTTY === true && env.TERM !== 'dumb'
}

/**
 * @typedef {{ color: boolean, width: number, isTerminal: boolean, paint: ReturnType<typeof createColors> }} Look colours
 *   and width of a stream
 * @param {{ isTTY?: boolean, columns?: number }} stream @returns {Look}
 */
function lookOf(stream) {
  const color = wantsColor(stream)
  const isTerminal = stream.isTTY === true
  const width = isTerminal ? Math.max(stream.columns || 80, MIN_WIDTH) : PLAIN_WIDTH
  return { color, width, isTerminal, paint: createColors(color) }
}

/**
 * Replaces control characters and bidirectional overrides, which could control the terminal or reorder text.
 * @param {unknown} text
 */
const harmless = text =>
  String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/**
 * Formats a value as JSON. Control and bidirectional characters that JSON allows unescaped are escaped too.
 * @param {unknown} value
 */
const printedJson = value => `${harmlessJson(JSON.stringify(value, null, 2))}\n`

/**
 * Escapes control and bidirectional characters in JSON texts, each on a line of its own or indented.
 * @param {string} text
 */
const harmlessJson = text =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped)

/** @param {string} character */
const escaped = character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

module.exports = { harmless, harmlessJson, lookOf, printedJson, wantsColor }
