// Contacts in a given text: one for each block of lines with an address or a number, or one for each line of a list.
import { success } from '../_core/tool-response.js'
import {
  brokenEmailsIn,
  emailsIn,
  nameIn,
  namedParts,
  partsOf,
  phonesIn,
  urlsIn,
  withoutAddresses,
} from '../_services/contact-parts.js'

const MAX_CONTACTS = 100
const MOST_TEXTS = 20
const KINDS = /** @type {const} */ (['emails', 'phones', 'urls'])

/** @param {import('../../index.js').HandlerContext} context */
export function execute({ args }) {
  const blocks = args.text.split(/\r?\n[^\S\n]*\r?\n/)
  const contacts = blocks.flatMap((/** @type {string} */ block) => contactsIn(block, args.region))
  const left_out = {
    contacts: Math.max(0, contacts.length - MAX_CONTACTS),
    texts: brokenEmailsIn(args.text).slice(0, MOST_TEXTS),
  }
  return success({ contacts: contacts.slice(0, MAX_CONTACTS), left_out })
}

/**
 * A block in which several lines have a name and an address of their own is a list of people.
 * @param {string} block
 * @param {string} [region] ISO 3166 code
 */
function contactsIn(block, region) {
  const whole = contactIn(block, region)
  if (whole === null) return []
  if (whole.emails.length + whole.phones.length < 2) return [whole]
  const lines = block.split(/\r?\n/).flatMap(line => peopleInLine(line, region) ?? peopleInSentence(line, region))
  const people = lines.filter(
    line => line !== null && line.name !== null && line.emails.length + line.phones.length > 0,
  )
  return people.length > 1 ? lines.filter(line => line !== null) : [whole]
}

/**
 * The people of a line that names several, each with the addresses that follow the name; null for other lines.
 * @param {string} line
 * @param {string} [region] ISO 3166 code
 */
function peopleInLine(line, region) {
  /** @type {NonNullable<ReturnType<typeof contactIn>>[]} */
  const people = []
  for (const part of partsOf(line)) {
    const [name, found] = [nameIn(withoutAddresses(part)), contactIn(part, region)]
    const last = people.at(-1)
    if (name !== null || last === undefined) people.push({ emails: [], phones: [], urls: [], ...found, name })
    else if (found !== null) for (const kind of KINDS) last[kind].push(...found[kind])
  }
  const reachable = people.filter(({ name, emails, phones }) => name !== null && emails.length + phones.length > 0)
  return reachable.length > 1 ? people.filter(one => KINDS.some(kind => one[kind].length > 0)) : null
}

/**
 * The people of a sentence; else the line is one contact, or none.
 * @param {string} line
 * @param {string} [region] ISO 3166 code
 */
function peopleInSentence(line, region) {
  const isReachable = (/** @type {string} */ part) => emailsIn(part).length + phonesIn(part, region).length > 0
  const parts = namedParts(line, isReachable)
  if (parts.length === 0) return [contactIn(line, region)]
  return parts.map(({ name, part }) => ({ emails: [], phones: [], urls: [], ...contactIn(part, region), name }))
}

/** @param {string} text @param {string} [region] ISO 3166 code */
function contactIn(text, region) {
  const [emails, phones, urls] = [emailsIn(text), phonesIn(text, region), urlsIn(text)]
  if (emails.length + phones.length + urls.length === 0) return null
  return { name: nameIn(text), emails, phones, urls }
}
