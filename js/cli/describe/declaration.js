'use strict'

// Formats a provider's declaration of a tool, and its lowering receipt.

const { harmless } = require('../terminal.js')
const { fitted } = require('./wrap.js')

/**
 * @param {{ toolId: string, provider: string, declaration: object | null, lowering: { pointer: string, change: string,
 *   lost: boolean }[] }} declared
 * @param {import('../terminal.js').Look} look
 */
function describeDeclaration({ toolId, provider, declaration, lowering }, look) {
  const { paint } = look
  const title = paint.bold(`${toolId} for ${provider}`)
  const text = declaration === null ? "this provider can't take the tool" : JSON.stringify(declaration, null, 2)
  const receipt =
    lowering.length === 0
      ? ['  nothing is changed or lost']
      : lowering.map(({ pointer, change, lost }) => {
          const fate = lost ? 'lost   ' : 'changed'
          const text = fitted(harmless(change), look, '           ', `  ${fate}  ${harmless(pointer || '/')}  `)
          return `  ${lost ? paint.yellow(fate) : paint.dim(fate)}${text.slice(fate.length + 2)}`
        })
  return `${title}\n${harmless(text)}\n\n${paint.bold('Receipt')}\n${receipt.join('\n')}\n`
}

module.exports = { describeDeclaration }
