// The items of one conversation, in order, and the history that they make. Audio is not kept.

import { freshId } from '../draft.js';
import { jsonOrText } from '../scenario/next-step.js';
import { eventError } from './parse-event.js';

const KEEP = 1000;

/**
 * @typedef {object} Remembered
 * @property {object} [item] as clients see it; absent where a response merely began
 * @property {string} [response] the id of the response that made it
 * @property {Partial<import('../scenario/next-step.js').Entry>} [heard] what an item of speech said
 * @property {number} [audioMs] length of the model's speech in it
 * @property {boolean} [isDropped] its response was cancelled
 */

export class Conversation {
  id = freshId('conv_');
  /** @type {Remembered[]} the newest 1000 */
  #remembered = [];

  /**
   * @param {Remembered} entry
   * @param {string | null} [after] id of an item, or `root`; the end without
   * @returns {string | null} the id of the item before it
   * @throws {import('./parse-event.js').EventError}
   */
  add(entry, after) {
    if (this.find(entry.item.id) !== undefined) {
      throw eventError(`item \`${entry.item.id}\` exists already`, { param: 'item.id', code: 'item_create_duplicate_id' });
    }
    const at = this.#placeAfter(after);
    const before = this.#remembered.slice(0, at).findLast(({ item }) => item !== undefined);
    this.#insert(at, entry);
    return before?.item.id ?? null;
  }

  #placeAfter(id) {
    if (id === undefined || id === null) return this.#remembered.length;
    if (id === 'root') return 0;
    return this.#remembered.indexOf(this.get(id, 'previous_item_id')) + 1;
  }

  /** A response begins: what the user says from here on is another utterance. */
  noteResponse() {
    this.#insert(this.#remembered.length, {});
  }

  #insert(at, entry) {
    this.#remembered.splice(at, 0, entry);
    if (this.#remembered.length > KEEP) this.#remembered.shift();
  }

  /** @param {string} id @returns {Remembered | undefined} */
  find(id) {
    return this.#remembered.find(({ item }) => item?.id === id);
  }

  /** @returns {Remembered} @throws {import('./parse-event.js').EventError} */
  get(id, param) {
    const found = this.find(id);
    if (found === undefined) throw eventError(`item with id \`${id}\` not found`, { param, code: 'invalid_item_id' });
    return found;
  }

  /** @param {string} id @throws {import('./parse-event.js').EventError} */
  remove(id) {
    const found = this.get(id, 'item_id');
    this.#remembered = this.#remembered.filter((entry) => entry !== found);
  }

  /** @param {string} callId @returns {{ call: object | undefined, answers: number }} */
  callOf(callId) {
    const items = this.#remembered.flatMap(({ item }) => (item?.call_id === callId ? [item] : []));
    return {
      call: items.find(({ type }) => type === 'function_call'),
      answers: items.filter(({ type }) => type === 'function_call_output').length,
    };
  }

  /** @returns {object[]} calls since the user's last words that wait for an answer */
  get openCalls() {
    const lastUser = this.#remembered.findLastIndex(({ item }) => item?.role === 'user');
    return this.#remembered
      .slice(lastUser + 1)
      .filter(({ item, isDropped }) => item?.type === 'function_call' && item.status === 'completed' && isDropped !== true)
      .map(({ item }) => item)
      .filter((item) => this.callOf(item.call_id).answers === 0);
  }

  /** @returns {import('../scenario/next-step.js').Entry[]} the calls of one response are one entry */
  get history() {
    const entries = [];
    for (const { item, response, heard } of this.#remembered) {
      const group = entries.findLast(({ kind }) => kind === 'calls');
      const isSame = response === undefined ? entries.at(-1) === group : group?.response === response;
      if (item?.type === 'function_call' && group !== undefined && isSame) {
        group.calls.push({ id: item.call_id, name: item.name });
      } else {
        entries.push(entryOf(item, response, heard));
      }
    }
    return entries;
  }
}

function entryOf(item, response, heard) {
  if (item?.type === 'function_call') return { kind: 'calls', response, calls: [{ id: item.call_id, name: item.name }] };
  if (item?.type === 'function_call_output') return { kind: 'result', id: item.call_id, value: jsonOrText(item.output) };
  if (item?.role !== 'user') return { kind: 'other' };
  const text = item.content.map(({ text: typed, transcript }) => typed ?? transcript ?? '').join('');
  return { kind: 'user', text, source: 'text', ...heard };
}
