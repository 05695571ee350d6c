// A tool's declaration for OpenAI's Chat Completions, under the import path that agents use.
import { declarationFor } from './declaration.js'

/**
 * @param {import('../../../index.js').ForeignTool} definition `{ name, description, parameters }`, or a provider's form
 * @returns {Record<string, unknown>} `{ type: 'function', function: { name, description, parameters } }`
 * @throws {TypeError} if the definition has faults or can't be declared
 */
export const toOpenAI = definition => declarationFor('openai', definition)
export default toOpenAI
