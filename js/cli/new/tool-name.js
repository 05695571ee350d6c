'use strict'

// Checks tool names: a valid name is a valid function name for every provider.

const LONGEST = 64

/** A folder's name may have `-` where the id has `_`. @param {string} name */
const toolIdOf = name => name.replaceAll('-', '_')

/** @param {string} name @returns {{ message: string, hint: string } | null} what is wrong with it */
function badName(name) {
  if (/^[a-z][a-z0-9_-]*$/.test(name) && name.length <= LONGEST) return null
  const better = suggested(name)
  return {
    message: `\`${name}\` is not a valid tool name`,
    hint: `a name has lower-case letters, digits and \`_\`, begins with a letter, and has at most ${LONGEST} characters${better === '' ? '' : `; try \`${better}\``}`,
  }
}

/** `SayHello` and `say hello!` → `say_hello`. @param {string} name */
function suggested(name) {
  const plain = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
  const words = plain
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const joined = words.join('_').slice(0, LONGEST).replace(/_+$/, '')
  return /^[a-z]/.test(joined) || joined === '' ? joined : `tool_${joined}`.slice(0, LONGEST)
}

module.exports = { badName, toolIdOf }
