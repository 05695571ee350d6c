'use strict'

// Whether a field asks for what no server may ask its user through a tool: a secret. It would be shown, and kept in the store.

/** Words that name a secret alone. */
const WORDS = new Set([
  ...['password', 'passwords', 'passwd', 'passphrase', 'passcode', 'pwd', 'secret', 'secrets', 'token', 'credential'],
  ...['credentials', 'apikey', 'pin', 'otp', 'cvv', 'cvc', 'csc', 'cardnumber', 'mnemonic'],
])
/** Words that name one beside each other. */
const PAIRS = new Set([
  ...['api key', 'access key', 'private key', 'secret key', 'encryption key', 'signing key', 'card number'],
  ...['credit card', 'debit card', 'security code', 'verification code', 'seed phrase', 'recovery phrase', 'pass word'],
])

/** What a text says not to do, up to the end of the clause: "do not enter your PIN" asks for none. */
const WARNING =
  /\b(?:do not|don['’]t|never) (?:enter|give|include|provide|put|send|share|type|use|write)\b[^.;:!?()]*/gi

/** @param {string} name @param {import('../shared-types.js').JsonObject} schema */
function isSecretField(name, { title, description, format }) {
  const said = typeof description === 'string' ? description.replace(WARNING, ' ') : description
  return [name, title, said, format].some(text => typeof text === 'string' && namesSecret(text))
}

/** @param {string} text */
function namesSecret(text) {
  const words = text
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return words.some((word, place) => WORDS.has(word) || PAIRS.has(`${word} ${words[place + 1]}`))
}

module.exports = { isSecretField }
