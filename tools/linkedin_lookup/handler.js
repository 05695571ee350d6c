// A stored reference of the host service `kb`. Nothing is fetched, nothing is derived from a name.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'
import { recordIn, recordsIn } from '../_services/service-answers.js'
import { serviceFailure } from '../_services/service-errors.js'
import { parsedUrl, webAddress } from '../_services/web-address.js'

const CANDIDATES = 10
const MOST_NEAR = 3
const SAME_LETTERS = 3
/** LinkedIn's own hosts, and the reserved one of the sample studio. A stored address elsewhere is not passed on. */
const HOST = /^(?:(?:[a-z]+\.)?linkedin\.com|linkedin\.example\.com)$/

/**
 * @typedef {import('../_services/service-types.js').JsonObject} Person a record of the host's `kb`: unchecked
 * @typedef {import('../../index.js').HandlerContext['services']['kb']} KnowledgeBase
 */

/** @param {import('../../index.js').HandlerContext<{ person: string }>} context */
export async function execute({ args, services, signal }) {
  try {
    const { people, near } = await peopleNamed(services.kb, args.person.trim(), signal)
    if (people.length === 0) return notFound(args.person, near)
    if (people.length > 1) return ambiguous(args.person, people)
    const [{ id, metadata, title, last_updated }] = people
    const url = metadata?.linkedin_url
    if (!isProfile(url)) return noProfile(id)
    return success({ person_id: id, name: nameOf(metadata) ?? title, url, last_updated })
  } catch (error) {
    return serviceFailure(error, 'knowledge base')
  }
}

/**
 * The record of an id; or the records of all people who have exactly this name, else of those whose name has all its words. If
 * there are none, the people with a similar name are `near`.
 * @param {KnowledgeBase} kb
 * @param {string} person
 * @param {AbortSignal} signal
 * @returns {Promise<{ people: Person[], near: Person[] }>}
 */
async function peopleNamed(kb, person, signal) {
  if (person.startsWith('person:')) {
    const record = recordIn(await kb.get(person, { signal }))
    return { people: record?.type === 'person' ? [record] : [], near: [] }
  }
  const wanted = comparable(person)
  if (wanted === '') return { people: [], near: [] }
  /** @type {Person[]} */
  const found = recordsIn(
    await kb.search({ query: person, filters: { type: 'person' }, topK: CANDIDATES, includeSnippets: false, signal }),
  )
  const named = found.filter(({ type, metadata }) => type === 'person' && nameOf(metadata) !== null)
  const exact = named.filter(({ metadata }) => comparable(nameOf(metadata) ?? '') === wanted)
  const partly = named.filter(({ metadata }) => hasWords(comparable(nameOf(metadata) ?? ''), wanted))
  const near = named.filter(({ metadata }) => beginsAlike(comparable(nameOf(metadata) ?? ''), wanted))
  return { people: exact.length > 0 ? exact : partly, near: near.slice(0, MOST_NEAR) }
}

/** Whether a word of each begins with the same letters: a search finds people by their work, too. @param {string} name @param {string} wanted */
function beginsAlike(name, wanted) {
  const beginnings = name.split(' ').map(word => word.slice(0, SAME_LETTERS))
  return wanted.split(' ').some(word => beginnings.includes(word.slice(0, SAME_LETTERS)))
}

/** @param {string} name @param {string} wanted */
function hasWords(name, wanted) {
  const words = name.split(' ')
  return wanted.split(' ').every(word => words.includes(word))
}

/** @param {Person | undefined} metadata @returns {string | null} */
const nameOf = metadata => (typeof metadata?.name === 'string' ? metadata.name : null)

/** @param {unknown} url */
function isProfile(url) {
  const { protocol, hostname = '', port } = parsedUrl(webAddress(url)) ?? {}
  return protocol === 'https:' && HOST.test(hostname) && port === ''
}

/** Case, accents and spacing do not make another name. @param {string} name */
const comparable = name => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()

/** @param {string} person @param {Person[]} near */
const notFound = (person, near) =>
  failure(ErrorType.NOT_FOUND, `no person in the knowledge base is called \`${person}\``, {
    retryable: false,
    details: { nearest: near.map(({ id, metadata }) => ({ person_id: id, name: nameOf(metadata) })) },
    suggestion:
      near.length > 0
        ? `ask the user whether ${near.map(({ metadata }) => `\`${nameOf(metadata)}\``).join(' or ')} is meant`
        : 'search for the person first, and use the id of the record',
  })

/** @param {string} id */
const noProfile = id =>
  failure(ErrorType.NOT_FOUND, `no LinkedIn address is stored for \`${id}\``, {
    retryable: false,
    details: { reason: 'no_profile', person_id: id },
    suggestion: 'say that no address is stored; do not guess one',
  })

/** @param {string} person @param {Person[]} people */
const ambiguous = (person, people) =>
  failure(ErrorType.CONFLICT, `several people are called \`${person}\``, {
    retryable: false,
    partialSideEffects: false,
    details: { people: people.map(({ id, title }) => ({ person_id: id, title })) },
    suggestion: 'ask the user which one is meant, and use the id',
  })
