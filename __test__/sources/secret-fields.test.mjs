// Which fields of a server's question ask for a secret.
import { createRequire } from 'node:module'

const { isSecretField } = createRequire(import.meta.url)('../../js/sources/secret-field.js')

test.each([
  ['pin', {}],
  ['value', { title: 'Your API key' }],
  ['value', { description: 'The number of your credit card.' }],
  ['value', { description: 'Do not enter your name. Enter your PIN.' }],
  ['value', { description: 'Never share this (password)' }],
  ['accessKey', { description: 'Do not enter a password' }],
])('%s %j does', (name, schema) => {
  expect(isSecretField(name, schema)).toBe(true)
})

test.each([
  ['integer', { description: 'Your favorite integer (do not enter your phone number, PIN, or other sensitive info)' }],
  ['note', { description: "A note. Don't include passwords." }],
  ['spinner', { title: 'How many turns?' }],
])('%s %j does not', (name, schema) => {
  expect(isSecretField(name, schema)).toBe(false)
})
