'use strict'

// What declarations of all providers have in common: some nest their members in `function`.

/** @typedef {{ name?: string, strict?: boolean, function?: { name?: string, strict?: boolean } }} ProviderDeclaration */

/** The name of the declared tool. @param {ProviderDeclaration} declaration @returns {string} */
const toolOf = declaration => String(declaration.name ?? declaration.function?.name)

/** Whether it makes a model send every argument: OpenAI's `strict`. @param {ProviderDeclaration} declaration */
const isStrict = declaration => (declaration.strict ?? declaration.function?.strict) === true

const BYTES_PER_TOKEN = 4

/**
 * The bytes of the compact JSON divided by 4, rounded up. A provider's tokenizer and its own framing of tools differ from
 * that; the estimate compares tools and sets, it does not predict a bill.
 * @param {object} declaration one, or a list
 */
const estimatedTokens = declaration => Math.ceil(Buffer.byteLength(JSON.stringify(declaration)) / BYTES_PER_TOKEN)

module.exports = { estimatedTokens, isStrict, toolOf }
