// The protocols that the simulator speaks, and the actions that each has no words for.

const SOCKETS_ONLY = ['cancel', 'interrupt']
const LIVE_ONLY = ['goAway', 'resumption']

/** @type {Record<string, { title: string, lacks: string[] }>} */
export const PROTOCOLS = {
  live: { title: 'Gemini Live', lacks: ['finish'] },
  realtime: { title: 'OpenAI Realtime', lacks: LIVE_ONLY },
  chat: { title: 'Chat Completions', lacks: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  responses: { title: 'OpenAI Responses', lacks: [...SOCKETS_ONLY, ...LIVE_ONLY] },
  messages: { title: 'Anthropic Messages', lacks: [...SOCKETS_ONLY, ...LIVE_ONLY] },
}

/**
 * @param {string} action
 * @param {string | string[]} [wanted] the protocols that a rule is for; all by default
 * @returns {string | null} where the action exists, if in none of them
 */
export function missingEverywhere(action, wanted = Object.keys(PROTOCOLS)) {
  const knows = name => !PROTOCOLS[name].lacks.includes(action)
  if ([wanted].flat().some(knows)) return null
  const titles = Object.keys(PROTOCOLS)
    .filter(knows)
    .map(name => PROTOCOLS[name].title)
  return `exists in ${titles.join(', ')} only`
}
