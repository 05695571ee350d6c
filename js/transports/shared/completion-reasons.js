'use strict'
// When a message of a provider is complete: only then are its calls given. Each list has the words that the protocol, or a
// server that speaks it, uses for a message whose calls are whole. After any other word, known or not, its calls are not given,
// and `problem` names them, unless the message goes on.

/**
 * @typedef {object} CompletionRule
 * @property {string} protocol
 * @property {string} member where the message says how it ended
 * @property {string[]} complete its calls are given
 * @property {Record<string, string>} incomplete known words after which no call is given, and what they mean
 * @property {string[]} pending the message goes on: no call is given, which is no problem
 * @property {string} source
 */

/** @type {Record<'chat' | 'responses' | 'anthropic' | 'realtime', CompletionRule>} */
const COMPLETION = {
  chat: {
    protocol: 'OpenAI Chat Completions',
    member: '`finish_reason` of choice 0',
    complete: ['tool_calls', 'stop', 'function_call'],
    incomplete: {
      length: 'the token limit was reached',
      content_filter: 'the content was filtered',
      max_tokens: 'the token limit was reached (gateways)',
      max_output_tokens: 'the token limit was reached (gateways)',
      model_length: 'the context of the model is full (Mistral)',
      insufficient_system_resource: 'the service ended the message (DeepSeek)',
      abort: 'the request was aborted (vLLM, SGLang)',
      error: 'the service failed in the middle (OpenRouter, Mistral)',
    },
    pending: [],
    source: 'API reference of Chat Completions; documentation of the servers named',
  },
  responses: {
    protocol: 'OpenAI Responses',
    member: '`status` of the response',
    complete: ['completed'],
    incomplete: {
      incomplete: 'the token limit was reached, or the content was filtered',
      failed: 'the service failed',
      cancelled: 'the response was cancelled',
    },
    pending: ['in_progress', 'queued'],
    source: 'API reference of Responses',
  },
  anthropic: {
    protocol: 'Anthropic Messages',
    member: '`stop_reason` of the message',
    complete: ['tool_use', 'end_turn', 'stop_sequence'],
    incomplete: {
      max_tokens: 'the token limit was reached',
      model_context_window_exceeded: 'the context of the model is full',
      refusal: 'the message was refused',
      pause_turn: 'a tool of the service paused the message',
    },
    pending: [],
    source: 'API reference of Messages, page on stop reasons',
  },
  realtime: {
    protocol: 'OpenAI Realtime',
    member: '`status` of the output item',
    complete: ['completed'],
    incomplete: { incomplete: 'the response was cancelled or cut', in_progress: 'the item is not over' },
    pending: [],
    source: 'API reference of Realtime server events',
  },
}

/** @param {CompletionRule} rule @param {unknown} word */
const isComplete = (rule, word) => typeof word === 'string' && rule.complete.includes(word)

module.exports = { COMPLETION, isComplete }
