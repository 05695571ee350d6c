// Addresses of the pages of runs. Ids come from models and hosts, and may hold anything.

const encoded = (text: string): string => encodeURIComponent(wellFormed(text))
/** Half a character has no form in an address. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

export const sessionHref = (sessionId: string): string => `/inspector/sessions/session?id=${encoded(sessionId)}`

/** The page of the call, wherever it is. */
export const callHref = (callId: string): string => `/inspector/sessions?call=${encoded(callId)}`

/** The call on the page of its session. */
export const placeHref = (sessionId: string, callId: string): string =>
  `${sessionHref(sessionId)}&call=${encoded(callId)}${anchorHref(callId)}`

/** The id of a call's place on its session's page; no spaces are in it. */
export const callAnchor = (callId: string): string => `call-${encoded(callId)}`

/** Encoded once more, as the fragments of addresses are. */
export const anchorHref = (callId: string): string => `#${encoded(callAnchor(callId))}`

/** A parameter of an address: a text that is not too long, else none. */
export const parameterOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && given.length <= 1024 ? given : ''
