'use strict'

// The page that lists the open questions of `toolgate mcp`, each a link to its own page. A script looks for new ones. All texts are
// foreign.

const { createHash } = require('node:crypto')

const { STYLE, escaped } = require('../../web/confirmation-page.js')

const SCRIPT = `const list = document.querySelector('main')
let shown = list.innerHTML
async function look() {
  try {
    const answer = await fetch('list', { cache: 'no-store' })
    const text = answer.ok ? await answer.text() : shown
    document.title = text.includes('<li>') ? '(!) Confirmations' : 'Confirmations'
    if (text !== shown) list.innerHTML = shown = text
  } catch {
    list.textContent = 'The server has ended.'
  }
  setTimeout(look, 1000)
}
look()`

/** @param {string} text */
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hash(STYLE)}`,
    `script-src ${hash(SCRIPT)}`,
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

/** The page is read on this machine. @param {number} at epoch milliseconds */
const timeOf = at => new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** @param {import('./open-questions.js').ListedQuestion[]} questions */
function listOf(questions) {
  if (questions.length === 0) return '<p>Nothing waits for an answer.</p>'
  const items = questions.map(
    ({ href, tool, preview, expires, principal }) =>
      `<li><p><a href="${escaped(href)}">${escaped(tool)}</a>${principal === null ? '' : ` for ${escaped(principal)}`}, until ${escaped(timeOf(expires))}</p><pre>${escaped(preview)}</pre></li>`,
  )
  return `<ul>${items.join('')}</ul>`
}

/** @param {string} list */
const pageOf = list => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Confirmations</title>
<style>${STYLE}</style></head><body><h1>Confirmations</h1><main>${list}</main><script>${SCRIPT}</script></body></html>
`

module.exports = { PAGE_HEADERS, listOf, pageOf }
