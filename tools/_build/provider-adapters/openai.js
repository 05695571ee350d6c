// A tool's declaration for OpenAI's Chat Completions, under the import path that agents use.
import { declarationFor } from './declaration.js'

/**
 * @param {import('./declaration.js').Definition} definition a schema.json, `{ name, description, parameters }`, or a provider's form
 * @returns {Record<string, unknown>} `{ type: 'function', function: { name, description, parameters } }`
 * @throws {TypeError} if the definition has faults or can't be declared
 */
export const toOpenAI = definition => declarationFor('openai', definition)
export default toOpenAI
