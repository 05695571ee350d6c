'use strict'

// `toolgate/voice`: a voice call of a page over a WebSocket, with a model of Gemini Live or OpenAI Realtime.

const { geminiLive } = require('./gemini-live.js')
const { openaiRealtime } = require('./openai-realtime.js')
const { CONSENT_LANGUAGES, spokenConsentMatcher } = require('./spoken-consent.js')
const { serveVoiceCall } = require('./voice-call.js')

module.exports = { CONSENT_LANGUAGES, geminiLive, openaiRealtime, serveVoiceCall, spokenConsentMatcher }
