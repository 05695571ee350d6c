'use strict'

// The page of a link to a confirmation: plain HTML without scripts. All texts are foreign.

const { createHash } = require('node:crypto')

const { PREFIX } = require('./answer-form.js')
const { GRANT } = require('./change-form.js')

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}
table{width:100%}th{text-align:left;vertical-align:top;padding-right:1rem}td{overflow-wrap:anywhere}
td input,td textarea,select{font:inherit;width:100%;box-sizing:border-box}pre{white-space:pre-wrap}
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
  // What was refused because of its changes is still pending: the address without them asks again.
  const again = answer.state === 'refused' && answer.error.type === 'VALIDATION' ? '<p><a href="">Back</a></p>' : ''
  return `<h1>${title}</h1><p>${escaped(answer.error?.message ?? '')}</p>${again}`
}

/** @param {Extract<import('./index.js').LinkAnswer, { state: 'pending' }>['confirmation']} confirmation */
function question({ preview, arguments: rows, fields, changes }) {
  if (fields !== undefined) return answerForm(preview, fields)
  const controls = new Map((changes?.fields ?? []).map(field => [field.name, field]))
  const cells = rows.map(({ name, title, value }) => row(title ?? name, controls.get(name), value))
  const shown = new Set(rows.map(({ name }) => name))
  const more = [...controls.values()].filter(({ name }) => !shown.has(name)).map(field => row(field.title, field))
  return `<h1>Confirm?</h1><pre>${escaped(preview)}</pre>
<form method="post"><table>${[...cells, ...more].join('')}</table>${grantChoice(changes?.grantable)}
<p><button name="decision" value="confirm">Confirm</button>
<button name="decision" value="deny" formnovalidate>Deny</button></p></form>`
}

/** @param {string} title @param {import('./index.js').LinkField | undefined} field @param {string} [value] */
function row(title, field, value = '') {
  const cell = field === undefined ? escaped(value) : control(field, title)
  return `<tr><th scope="row">${escaped(title)}</th><td>${cell}</td></tr>`
}

/** @param {'args' | 'tool' | undefined} grantable */
function grantChoice(grantable) {
  if (grantable === undefined) return ''
  const { calls, ttlMs } = GRANT
  const bounds = `up to ${calls} times in ${ttlMs / 60_000} minutes`
  const wider = grantable === 'tool' ? `<option value="tool">Any call of this tool, ${bounds}</option>` : ''
  return `<p><label>Later calls<br><select name="grant"><option value="">Ask each time</option>
<option value="args">Allow this same call, ${bounds}</option>${wider}</select></label></p>`
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

/** The longest text of one line, and what a row of more of them has at least, in characters. */
const ONE_LINE = 30
const CHARACTERS_IN_ROW = 25

/** @type {Record<string, string>} */
const INPUTS = { email: 'email', uri: 'url', date: 'date' }

/** @param {import('./index.js').LinkField} field @param {string} [label] where the page has no other one */
function control({ name, type, format = '', choices, required, default: given }, label = '') {
  const isNeeded = required && type !== 'boolean' ? ' required' : ''
  const labelled = label === '' ? '' : ` aria-label="${escaped(label)}"`
  const attributes = `name="${escaped(PREFIX + name)}"${isNeeded}${labelled}`
  if (type === 'boolean') return `<input type="checkbox" ${attributes} value="true"${given === true ? ' checked' : ''}>`
  if (choices !== undefined) {
    const chosen = new Set(Array.isArray(given) ? given : [given])
    const options = choices.map(
      ({ value, title }) =>
        `<option value="${escaped(value)}"${chosen.has(value) ? ' selected' : ''}>${escaped(title)}</option>`,
    )
    const none = type === 'choice' && (!required || given === undefined) ? '<option value=""></option>' : ''
    return `<select ${attributes}${type === 'choices' ? ' multiple' : ''}>${none}${options.join('')}</select>`
  }
  // A value is seen whole before it is confirmed.
  if (type === 'string' && String(given ?? '').length > ONE_LINE)
    return `<textarea ${attributes} rows="${Math.ceil(String(given).length / CHARACTERS_IN_ROW)}">${escaped(String(given))}</textarea>`
  const kind = type === 'string' ? (INPUTS[format] ?? 'text') : 'number'
  const step = type === 'number' ? ' step="any"' : ''
  return `<input type="${kind}" ${attributes}${step} value="${escaped(String(given ?? ''))}" autocomplete="off">`
}

module.exports = { STYLE, confirmationPage, escaped }
