'use strict'

// The page of a link to a confirmation: plain HTML without scripts. All texts are foreign.

const { createHash } = require('node:crypto')

const { PREFIX } = require('./answer-form.js')

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
function question({ preview, arguments: rows, fields }) {
  if (fields !== undefined) return answerForm(preview, fields)
  const cells = rows.map(
    ({ name, title, value }) => `<tr><th scope="row">${escaped(title ?? name)}</th><td>${escaped(value)}</td></tr>`,
  )
  return `<h1>Confirm?</h1><pre>${escaped(preview)}</pre><table>${cells.join('')}</table>
<form method="post"><p><button name="decision" value="confirm">Confirm</button>
<button name="decision" value="deny">Deny</button></p></form>`
}

/** The question of a server. @param {string} preview @param {import('./index.js').LinkField[]} fields */
function answerForm(preview, fields) {
  return `<h1>A question</h1><pre>${escaped(preview)}</pre>
<form method="post">${fields.map(labelled).join('')}<p><button name="decision" value="confirm">Answer</button>
<button name="decision" value="deny" formnovalidate>Decline</button></p></form>`
}

/** @param {import('./index.js').LinkField} field */
function labelled(field) {
  const { title, description = '', required } = field
  const note = required ? '' : ' (optional)'
  return `<p><label>${escaped(title)}${note}<br>${control(field)}</label><br><small>${escaped(description)}</small></p>`
}

/** @type {Record<string, string>} */
const INPUTS = { email: 'email', uri: 'url', date: 'date' }

/** @param {import('./index.js').LinkField} field */
function control({ name, type, format = '', choices, required, default: given }) {
  const isNeeded = required && type !== 'boolean' ? ' required' : ''
  const attributes = `name="${escaped(PREFIX + name)}"${isNeeded}`
  if (type === 'boolean') return `<input type="checkbox" ${attributes} value="true"${given === true ? ' checked' : ''}>`
  if (choices !== undefined) {
    const chosen = new Set(Array.isArray(given) ? given : [given])
    const options = choices.map(
      ({ value, title }) =>
        `<option value="${escaped(value)}"${chosen.has(value) ? ' selected' : ''}>${escaped(title)}</option>`,
    )
    const none = type === 'choice' ? '<option value=""></option>' : ''
    return `<select ${attributes}${type === 'choices' ? ' multiple' : ''}>${none}${options.join('')}</select>`
  }
  const kind = type === 'string' ? (INPUTS[format] ?? 'text') : 'number'
  const step = type === 'number' ? ' step="any"' : ''
  return `<input type="${kind}" ${attributes}${step} value="${escaped(String(given ?? ''))}" autocomplete="off">`
}

module.exports = { confirmationPage }
