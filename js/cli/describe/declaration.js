'use strict'

// Formats a provider's declaration of a tool, and its lowering receipt.

const { harmless } = require('../terminal.js')

/**
 * @param {{ toolId: string, provider: string, declaration: object | null, lowering: { pointer: string, change: string,
 *   lost: boolean }[] }} declared
 * @param {import('../terminal.js').Look} look
 */
function describeDeclaration({ toolId, provider, declaration, lowering }, { paint }) {
  const title = paint.bold(`${toolId} for ${provider}`)
  const text = declaration === null ? "this provider can't take the tool" : JSON.stringify(declaration, null, 2)
  const receipt =
    lowering.length === 0
      ? ['  nothing is changed or lost']
      : lowering.map(({ pointer, change, lost }) => {
          const fate = lost ? paint.yellow('lost   ') : paint.dim('changed')
          return `  ${fate}  ${harmless(pointer || '/')}  ${paint.dim(harmless(change))}`
        })
  return `${title}\n${harmless(text)}\n\n${paint.bold('Receipt')}\n${receipt.join('\n')}\n`
}

module.exports = { describeDeclaration }
