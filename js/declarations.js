'use strict'

// What declarations of all providers have in common: some nest their members in `function`.

/** @typedef {{ name?: string, strict?: boolean, function?: { name?: string, strict?: boolean } }} Declaration */

/** The name of the declared tool. @param {Declaration} declaration @returns {string} */
const toolOf = declaration => String(declaration.name ?? declaration.function?.name)

/** Whether it makes a model send every argument: OpenAI's `strict`. @param {Declaration} declaration */
const isStrict = declaration => (declaration.strict ?? declaration.function?.strict) === true

module.exports = { isStrict, toolOf }
