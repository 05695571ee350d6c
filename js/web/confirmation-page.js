'use strict'

// The page of a link to a confirmation: plain HTML without scripts. All texts are foreign.

const { createHash } = require('node:crypto')

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}
th{text-align:left;vertical-align:top;padding-right:1rem}td{overflow-wrap:anywhere}pre{white-space:pre-wrap}
button{font:inherit;padding:.5rem 1rem;margin-right:.5rem}`
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const ENTITIES = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})
/** @param {string} text */
const escaped = text => text.replace(/[&<>"']/g, character => ENTITIES[character])

/** @param {import('./index.js').LinkAnswer} answer @param {number} status @param {Record<string, string>} headers */
function confirmationPage(answer, status, headers) {
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Confirmation</title>
<style>${STYLE}</style></head><body><main>${content(answer)}</main></body></html>
`
  return new Response(page, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** @param {import('./index.js').LinkAnswer} answer */
function content(answer) {
  if (answer.state === 'pending') return question(answer.confirmation)
  if (answer.state === 'denied') return '<h1>Denied</h1><p>Nothing has run.</p>'
  if (answer.state === 'confirmed' && answer.ok) return '<h1>Confirmed</h1>'
  if (answer.state === 'counted')
    return `<h1>Counted</h1><p>${answer.confirmations} of ${answer.count} have confirmed. Nothing has run.</p>`
  const title = answer.state === 'confirmed' ? 'Confirmed, but it failed' : 'Not decided here'
  return `<h1>${title}</h1><p>${escaped(answer.error?.message ?? '')}</p>`
}

/** @param {Extract<import('./index.js').LinkAnswer, { state: 'pending' }>['confirmation']} confirmation */
function question({ preview, arguments: rows }) {
  const cells = rows.map(
    ({ name, title, value }) => `<tr><th scope="row">${escaped(title ?? name)}</th><td>${escaped(value)}</td></tr>`,
  )
  return `<h1>Confirm?</h1><pre>${escaped(preview)}</pre><table>${cells.join('')}</table>
<form method="post"><p><button name="decision" value="confirm">Confirm</button>
<button name="decision" value="deny">Deny</button></p></form>`
}

module.exports = { confirmationPage }
