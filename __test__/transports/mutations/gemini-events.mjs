// Gemini Live as its reference of server messages describes it: whole calls in `toolCall`, in the model's content, or in both.

/** @typedef {import('./conversation.mjs').WireEvent} WireEvent */

/** @param {import('../../../fuzz/random.cjs').Random} random @param {import('./conversation.mjs').Message[]} messages @returns {WireEvent[][]} of each turn */
export function geminiEvents(random, messages) {
  const style = { place: random.pick(['toolCall', 'toolCall', 'content', 'both']), hasIds: random.chance(0.8) }
  return messages.map(message => turn(random, message, style))
}

/** @param {import('../../../fuzz/random.cjs').Random} random @param {any} message @param {any} style @returns {WireEvent[]} */
function turn(random, { calls, text }, { place, hasIds }) {
  /** @param {any} call @param {boolean} withId */
  const functionCall = (call, withId) => ({
    ...(withId ? { id: call.id } : {}),
    name: call.name,
    args: call.args === '' ? {} : JSON.parse(call.args),
  })
  const facts = (/** @type {any[]} */ some) => some.map(call => ({ kind: 'whole', call, text: call.args }))
  const inContent = hasIds && place === 'content'
  const contents = calls.map((/** @type {any} */ call) => ({
    frame: { serverContent: { modelTurn: { parts: [{ text }, { functionCall: functionCall(call, inContent) }] } } },
    facts: facts([call]),
  }))
  const batches = random.chance(0.5) ? [calls] : calls.map((/** @type {any} */ call) => [call])
  const toolCalls = batches.map((/** @type {any[]} */ batch) => ({
    frame: { toolCall: { functionCalls: batch.map(call => functionCall(call, hasIds)) } },
    facts: facts(batch),
  }))
  const end = { frame: { serverContent: { turnComplete: true } }, facts: [{ kind: /** @type {const} */ ('end') }] }
  return [...(place === 'toolCall' ? [] : contents), ...(place === 'content' ? [] : toolCalls), end]
}
