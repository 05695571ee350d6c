'use strict'

// Foreign text as people must see it: hidden characters, which could reorder or hide what stands around them, are escapes of JSON.

const { hiddenCharacters } = require('../../native.js')

/** @type {RegExp | undefined} */
let pattern

/** @param {string} text */
function visibleText(text) {
  pattern ??= new RegExp(hiddenCharacters(), 'gu')
  return text.replace(pattern, escaped)
}

/** @param {string} character */
const escaped = character =>
  Array.from(
    { length: character.length },
    (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`,
  ).join('')

module.exports = { visibleText }
