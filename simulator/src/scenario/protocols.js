// The supported protocols, and the actions that each of them does not support.

/** @import { ProtocolName } from './types.js' */

const SOCKETS_ONLY = ['cancel', 'interrupt']
const LIVE_ONLY = ['goAway', 'resumption']

/** @type {Record<ProtocolName, { title: string, unsupported: string[] }>} */
export const PROTOCOLS = {
  live: { title: 'Gemini Live', unsupported: ['finish'] },
  realtime: { title: 'OpenAI Realtime', unsupported: LIVE_ONLY },
  gptLive: { title: 'OpenAI GPT-Live', unsupported: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  chat: { title: 'Chat Completions', unsupported: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  responses: { title: 'OpenAI Responses', unsupported: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  messages: { title: 'Anthropic Messages', unsupported: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  gemini: { title: 'Gemini generateContent', unsupported: [...SOCKETS_ONLY, ...LIVE_ONLY] },
}

const PROTOCOL_NAMES = /** @type {ProtocolName[]} */ (Object.keys(PROTOCOLS))

/**
 * @param {string} action
 * @param {ProtocolName | ProtocolName[]} [wanted] the protocols of a rule; default: all
 * @returns {string | null} the problem if none of them supports the action
 */
export function unsupportedProblem(action, wanted = PROTOCOL_NAMES) {
  /** @param {ProtocolName} name */
  const supports = name => !PROTOCOLS[name].unsupported.includes(action)
  if ([wanted].flat().some(supports)) return null
  const titles = PROTOCOL_NAMES.filter(supports).map(name => PROTOCOLS[name].title)
  return `exists in ${titles.join(', ')} only`
}
