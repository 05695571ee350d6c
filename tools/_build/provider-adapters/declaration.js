// Compiles one definition, or one tool's schema.json, for one provider.
import { compileTool } from '../../../index.js'

/**
 * @param {string} provider
 * @typedef {import('../../../index.js').ForeignTool | { toolId: string, description?: string, parameters?: object }} Definition
 *   `toolId`: a schema.json
 * @param {Definition} definition
 * @returns {Record<string, unknown>}
 * @throws {TypeError} if the definition has faults or can't be declared to the provider
 */
export function declarationFor(provider, definition) {
  const { diagnostics, providerSchemas } = compileTool(withName(definition))
  if (Object.hasOwn(providerSchemas, provider)) return providerSchemas[provider]
  const faults = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  throw new TypeError(
    `the tool can't be declared for \`${provider}\`: ${faults.join('; ') || 'see its lowering receipt'}`,
  )
}

/**
 * Only what is declared: the gate's members of a schema.json are no part of a provider's form.
 * @param {Definition} definition
 * @returns {import('../../../index.js').ForeignTool}
 */
function withName(definition) {
  const {
    toolId,
    name = toolId,
    description,
    parameters,
  } = /** @type {any} unchecked, as its caller's */ (definition ?? {})
  return toolId === undefined ? definition : { name, description, parameters }
}
