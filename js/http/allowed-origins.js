'use strict'

// The origins of pages that a server allows. An entry that no page can have is refused: all would get 403, without a word about why.

const { shownEntry } = require('./host-policy.js')

/** @type {typeof import('./index').checkedOrigins} */
function checkedOrigins(origins, words = []) {
  const others = words.map(word => `, \`${word}\``).join('')
  return origins.map(entry => {
    const origin = words.includes(entry) ? entry : originOf(entry)
    if (origin !== null) return origin
    throw new TypeError(`${shownEntry(entry)} must be an origin without path, such as \`https://app.example\`${others}`)
  })
}

/** @param {unknown} entry */
function originOf(entry) {
  if (typeof entry !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#@*\s]+\/?$/i.test(entry)) return null
  if (!URL.canParse(entry)) return null
  const { origin } = new URL(entry)
  // Apps in a shell have schemes of their own, such as `capacitor://localhost`.
  return origin === 'null' ? entry.toLowerCase().replace(/\/$/, '') : origin
}

module.exports = { checkedOrigins }
