// Two ways to do the same gateway's work. `naive` is how it is written without measuring: each duty done where it is due,
// with the plainest call for it. `optimised` is the same after a profiler was held to it. What a caller gets is the same.
import { createHash, createHmac, hash } from 'node:crypto'

import { canonicalJson, canonicalText } from './canonical-json.mjs'

/**
 * @typedef {object} Way
 * @property {(text: string) => string} sha256 hexadecimal
 * @property {(text: string, limit: number) => boolean} isLonger whether a text has more bytes of UTF-8
 * @property {(args: object, text: string) => object} copy of arguments that came as an object, given their text
 * @property {(value: unknown, text: string) => string} identify what equal arguments have in common: what CONFLICT, the loop
 *   guard and the audit know them by
 * @property {(one: string, other: string) => boolean} isSame whether two identities are of equal arguments
 * @property {(tool: string, turn: number, value: unknown, identity: string) => string} content what a call without an id is
 *   known by
 * @property {boolean} eagerSignal whether each handler gets an AbortController, or the one that asks for it
 * @property {object} answer how an answer is kept and returned: `succeeded`, `failed`, `told` and `outcome`
 */

/** An answer that is kept as text, up to its meta. */
const joined = {
  succeeded: (_data, text, intents) =>
    `{"ok":true${text === undefined ? '' : `,"data":${text}`},"intents":${list(intents)}`,
  failed: (error, intents) => `{"ok":false,"error":${JSON.stringify(error)},"intents":${list(intents)}`,
  told: (head, meta) => `${head},"meta":${JSON.stringify(meta)}}`,
  /** What the loop guard compares. */
  outcome: head => head,
}

const list = intents => (intents.length === 0 ? '[]' : JSON.stringify(intents))

/** An answer that is kept as an object, and stringified when it is returned. */
const stringified = {
  succeeded: (data, _text, intents) => ({ ok: true, data, intents }),
  failed: (error, intents) => ({ ok: false, error, intents }),
  told: (head, meta) => JSON.stringify({ ...head, meta }),
  outcome: head => JSON.stringify(head),
}

/** @type {Way} */
export const optimised = {
  sha256: text => hash('sha256', text),
  // A UTF-16 code unit takes at most 3 bytes of UTF-8: most texts need no count.
  isLonger: (text, limit) => text.length * 3 > limit && Buffer.byteLength(text) > limit,
  copy: (_args, text) => JSON.parse(text),
  identify: (_value, text) => text,
  // Equal text is the usual case and costs least.
  isSame: (one, other) => one === other || canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other)),
  content: (tool, turn, value) => canonicalJson({ args: value, tool, turn }),
  eagerSignal: false,
  answer: joined,
}

/** @type {Way} */
export const naive = {
  sha256: text => createHash('sha256').update(text).digest('hex'),
  isLonger: (text, limit) => Buffer.byteLength(text) > limit,
  copy: args => structuredClone(args),
  identify: value => canonicalText(value),
  isSame: (one, other) => one === other,
  content: (tool, turn, _value, identity) => `{"args":${identity},"tool":${JSON.stringify(tool)},"turn":${turn}}`,
  eagerSignal: true,
  answer: stringified,
}

/** A function that hashes for the audit: equal arguments have equal hashes, and without the key values cannot be tried against them. */
export function keyedHash(key) {
  return text => createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}
