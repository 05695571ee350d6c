'use strict'
// Texts for a GPT-Live session. The service refuses an append of more than 500 tokens, and a refused text is a silence: a longer text
// becomes several appends, each cut at the end of a sentence if it has one.

/** A token has at least one byte of UTF-8, so 500 bytes are never more than the 500 tokens that an append may have. */
const MAX_APPEND_BYTES = 500
/** The most appends of one text: some 1,500 words. */
const MAX_APPENDS = 16
const SHORTENED = ' … (shortened)'
/** Followed by a blank, so that no number is cut at its point. */
const SENTENCE_END = /[.!?…]["')\]]*(?=\s)|[。！？]|\n/gu

/**
 * @param {string} text
 * @returns {string[]} the pieces, none of them empty
 */
function appendsOf(text) {
  const whole = text.trim()
  // More characters than all appends have bytes are never sent: a text of any length costs the same.
  let rest = whole.slice(0, MAX_APPENDS * MAX_APPEND_BYTES).toWellFormed()
  const isCut = rest.length < whole.length
  /** @type {string[]} */
  const pieces = []
  while (rest !== '' && pieces.length < MAX_APPENDS) {
    const piece = Buffer.byteLength(rest) <= MAX_APPEND_BYTES ? rest : firstPiece(rest)
    rest = rest.slice(piece.length).trimStart()
    pieces.push(piece.trimEnd())
  }
  return isCut || rest !== '' ? withMark(pieces) : pieces
}

/** @param {string[]} pieces */
function withMark(pieces) {
  const last = pieces.pop() ?? ''
  return [...pieces, fitting(last, MAX_APPEND_BYTES - Buffer.byteLength(SHORTENED)).trimEnd() + SHORTENED]
}

/**
 * The beginning of a text that is too long: to the last end of a sentence that fits, else to the last blank, else as much as fits.
 * @param {string} text
 */
function firstPiece(text) {
  const fits = fitting(text, MAX_APPEND_BYTES)
  const near = text.slice(0, fits.length + 1)
  const ends = [...near.matchAll(SENTENCE_END)].map(match => match.index + match[0].length)
  const end = ends.findLast(at => at <= fits.length) ?? near.search(/\s\S*$/u)
  return end > 0 ? fits.slice(0, end) : fits
}

/** As many characters as fit, none of them cut in two. @param {string} text @param {number} bytes */
function fitting(text, bytes) {
  const start = text.slice(0, bytes)
  const encoded = Buffer.from(start)
  // The first half of a surrogate pair is no character.
  if (encoded.length <= bytes) return start.replace(/[\uD800-\uDBFF]$/, '')
  let end = bytes
  while ((encoded[end] & 0xc0) === 0x80) end -= 1
  return encoded.toString('utf8', 0, end)
}

module.exports = { MAX_APPENDS, MAX_APPEND_BYTES, appendsOf }
