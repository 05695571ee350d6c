'use strict'

// `toolgate/react`: what a page shows for confirmations. The components have no hooks: a server renders this module outside of its
// bundles (`withToolgate`), where React may be another copy than the page's.

// @ts-ignore: an optional peer dependency
const { Fragment, jsx, jsxs } = require('react/jsx-runtime')

const LABELS = { card: 'Confirmation', confirm: 'Approve', deny: 'Deny' }

/** @typedef {{ type?: string, state?: string, approval?: { id: string } }} Part of a message of the AI SDK */

/** @type {typeof import('./react.js').Confirmations} */
function Confirmations({ message, answer, labels, className }) {
  const { confirmations = {} } = /** @type {{ confirmations?: Record<string, string> }} */ (message.metadata ?? {})
  const cards = /** @type {readonly Part[]} */ (message.parts).flatMap(({ state, approval }) =>
    state === 'approval-requested' && approval !== undefined && Object.hasOwn(confirmations, approval.id)
      ? [card(approval.id, confirmations[approval.id])]
      : [],
  )
  return jsx(Fragment, { children: cards })

  /** @param {string} id @param {string} preview */
  function card(id, preview) {
    const names = { ...LABELS, ...labels }
    const button = (/** @type {string} */ children, /** @type {boolean} */ approved) =>
      jsx('button', { type: 'button', onClick: () => answer({ id, approved }), children })
    const children = [preview, ' ', button(names.confirm, true), ' ', button(names.deny, false)]
    return jsxs('p', { role: 'group', 'aria-label': names.card, className, children }, id)
  }
}

module.exports = { Confirmations }
