// The gate's own rule for e-mail addresses, as a sentence.
import { SchemaValidator } from 'toolgate'

const rule = new SchemaValidator({ type: 'string', format: 'email' })

/**
 * The reasons that help people, in order: the first match applies.
 * @type {[applies: (email: string) => boolean, reason: string][]}
 */
const REASONS = [
  [email => email.trim() === '', 'it is empty'],
  [email => email !== email.trim(), 'it begins or ends with white space'],
  [email => !email.includes('@'), 'there is no `@` in it'],
  [email => email.startsWith('@'), 'there is no name before the `@`'],
  [email => email.endsWith('@'), 'there is no domain after the `@`'],
  [email => /\s/.test(email), 'there is white space in it'],
  [email => email.split('@').length > 2 && !email.startsWith('"'), 'there is more than one `@` in it'],
  [email => email.includes('..'), 'there are two dots in a row'],
  [email => email.slice(0, email.lastIndexOf('@')).length > 64, 'the name before the `@` is longer than 64 characters'],
]

/**
 * Reasons for which no mail server on the internet can be meant, although the address is well formed.
 * @type {[applies: (domain: string) => boolean, reason: string][]}
 */
const DOMAIN_REASONS = [
  [domain => !domain.includes('.'), 'its domain has no ending, such as `.com`'],
  [domain => /\.\d+$/.test(domain), 'its domain ends in a number'],
  [domain => /\.[^.]$/.test(domain), 'the ending of its domain is a single letter'],
]

/**
 * Why the domain of a well-formed address is none of the internet; an address literal (`[192.0.2.1]`) is one.
 * @param {string} email
 * @returns {string | null}
 */
export function domainProblem(email) {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return domain.startsWith('[') ? null : (DOMAIN_REASONS.find(([applies]) => applies(domain))?.[1] ?? null)
}

/**
 * Why a text is not an e-mail address.
 * @param {string} email
 * @returns {string | null} a short sentence; `null` if it is one
 */
export function emailProblem(email) {
  if (rule.validate(email).valid) return null
  return REASONS.find(([applies]) => applies(email))?.[1] ?? 'it is not a well-formed e-mail address'
}
