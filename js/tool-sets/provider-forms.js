'use strict'

// The forms of declarations: one for each provider's API that takes tools, several of one family such as `gemini`.

const { suggestion } = require('./suggest.js')

const PROVIDERS = [
  'openai',
  'openaiStrict',
  'openaiResponses',
  'openaiRealtime',
  'geminiNative',
  'geminiJson',
  'anthropic',
  'mcp',
]

/** The forms of a family, the usual one first. @param {string} name of a family, or of a form that begins one */
function formsOf(name) {
  const family = name.toLowerCase()
  return PROVIDERS.filter(
    form => form.toLowerCase() === family || (form.startsWith(family) && /[A-Z]/.test(form.charAt(family.length))),
  )
}

/** What would be right: the forms of a family that is named alone, or a similar name. @param {string} provider */
function providerHint(provider) {
  const forms = formsOf(provider)
  if (forms.length === 0) return suggestion(provider, PROVIDERS)
  return `its forms are ${forms.map(name => `\`${name}\``).join(', ')}`
}

module.exports = { PROVIDERS, formsOf, providerHint }
