'use strict'

// What a stream can show: colours and columns.

const { createColors } = require('picocolors')

/** As for a file; the compiler's own default. */
const PLAIN_WIDTH = 140
const NARROWEST = 40

/**
 * Whether to colour: the last flag decides, then NO_COLOR (no-color.org), then FORCE_COLOR, then whether it is a terminal.
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
 * @typedef {{ color: boolean, width: number, paint: ReturnType<typeof createColors> }} Look how to draw on a stream
 * @param {{ isTTY?: boolean, columns?: number }} stream @returns {Look}
 */
function lookOf(stream) {
  const color = wantsColor(stream)
  const width = stream.isTTY ? Math.max(stream.columns || 80, NARROWEST) : PLAIN_WIDTH
  return { color, width, paint: createColors(color) }
}

/** Text of files without the characters that would talk to the terminal, or turn round the text beside them. */
const harmless = text =>
  String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/** A value as JSON for people and machines: what JSON lets stand raw and a terminal would act on is escaped too. */
const printedJson = value =>
  `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped)}\n`

const escaped = letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

module.exports = { harmless, lookOf, printedJson, wantsColor }
