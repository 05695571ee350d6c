// The items of a conversation as a history.

import { jsonOrText } from '../scenario/next-step.js';

/**
 * @param {any[]} items checked ones
 * @returns {import('../scenario/next-step.js').Entry[]} calls with no result between them were made in one go
 */
export function readHistory(items) {
  const entries = [];
  for (const item of items) {
    const last = entries.findLast(({ kind }) => kind !== 'other');
    if (item.type === 'function_call' && last?.kind === 'calls') last.calls.push(callOf(item));
    else entries.push(entryOf(item));
  }
  return entries;
}

function entryOf(item) {
  if (item.type === 'function_call') return { kind: 'calls', calls: [callOf(item)] };
  if (item.type === 'function_call_output') return { kind: 'result', id: item.call_id, value: jsonOrText(textOf(item.output)) };
  return item.role === 'user' ? { kind: 'user', text: textOf(item.content) } : { kind: 'other' };
}

function callOf({ call_id: id, name }) {
  return { id, name };
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}
