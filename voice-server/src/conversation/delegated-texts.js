// What the host's agent returned, as the texts of an answer.

const DONE = '[It is done. Say so in a few words.]'

/**
 * @param {unknown} answer
 * @param {{ isSpoken: boolean }} how whether something must be said
 * @returns {{ commentary?: string, thinking?: string }}
 * @throws {TypeError} if it is no answer
 */
export function delegatedTexts(answer, { isSpoken }) {
  const given = typeof answer === 'object' && answer !== null ? answer : { commentary: answer ?? '' }
  const { commentary = '', thinking = '' } = /** @type {Record<string, unknown>} */ (given)
  if (typeof commentary !== 'string' || typeof thinking !== 'string')
    throw new TypeError('`delegate` must return a text, `{ commentary, thinking }` or nothing')
  const known = thinking.trim() === '' ? {} : { thinking }
  if (commentary.trim() !== '') return { commentary, ...known }
  return isSpoken || thinking.trim() === '' ? { commentary: DONE, ...known } : known
}
