// Compiles one definition for one provider.
import { compileTool } from '../../../index.js'

/**
 * @param {string} provider
 * @param {import('../../../index.js').ForeignTool} definition
 * @returns {Record<string, unknown>}
 * @throws {TypeError} if the definition has faults or can't be declared to the provider
 */
export function declarationFor(provider, definition) {
  const { diagnostics, providerSchemas } = compileTool(definition)
  if (Object.hasOwn(providerSchemas, provider)) return providerSchemas[provider]
  const faults = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  throw new TypeError(
    `the tool can't be declared for \`${provider}\`: ${faults.join('; ') || 'see its lowering receipt'}`,
  )
}
