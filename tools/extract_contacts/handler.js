// Contacts in a given text: one for each block of lines with an address or a number, or one for each line of a list.
import { success } from '../_core/tool-response.js'
import { emailsIn, nameIn, phonesIn, urlsIn } from '../_services/contact-parts.js'

const MAX_CONTACTS = 100

/** @param {import('../../index.js').HandlerContext} context */
export function execute({ args }) {
  const blocks = args.text.split(/\r?\n[^\S\n]*\r?\n/)
  const contacts = blocks.flatMap((/** @type {string} */ block) => contactsIn(block, args.region))
  return success({ contacts: contacts.slice(0, MAX_CONTACTS) })
}

/**
 * A block in which several lines have a name and an address of their own is a list of people.
 * @param {string} block
 * @param {string} region ISO 3166 code
 */
function contactsIn(block, region) {
  const whole = contactIn(block, region)
  if (whole === null) return []
  if (whole.emails.length + whole.phones.length < 2) return [whole]
  const lines = block.split(/\r?\n/).map(line => contactIn(line, region))
  const people = lines.filter(
    line => line !== null && line.name !== null && line.emails.length + line.phones.length > 0,
  )
  return people.length > 1 ? lines.filter(line => line !== null) : [whole]
}

/** @param {string} text @param {string} region ISO 3166 code */
function contactIn(text, region) {
  const [emails, phones, urls] = [emailsIn(text), phonesIn(text, region), urlsIn(text)]
  if (emails.length + phones.length + urls.length === 0) return null
  return { name: nameIn(text), emails, phones, urls }
}
