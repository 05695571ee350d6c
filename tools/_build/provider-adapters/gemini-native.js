// A tool's declaration in Gemini's `Schema`, under the import path that agents use.
import { declarationFor } from './declaration.js'

/**
 * @param {import('./declaration.js').Definition} definition a schema.json, `{ name, description, parameters }`, or a provider's form
 * @returns {Record<string, unknown>} `{ name, description, parameters }`
 * @throws {TypeError} if the definition has faults or can't be declared
 */
export const toGeminiNative = definition => declarationFor('geminiNative', definition)
export default toGeminiNative
