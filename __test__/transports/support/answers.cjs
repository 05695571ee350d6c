'use strict'
// Full ToolResponses as the gate gives them, for transports to carry.

const META = {
  toolId: 'kb_search',
  toolVersion: '1.0.0',
  registryVersion: '1.0.0a1b2c3d',
  duration: 12,
  timestamp: '2026-01-02T03:04:05.678Z',
  responseSchemaVersion: '1.0.0',
}

const found = (data = { results: [] }) => ({ ok: true, data, intents: [], meta: META })

const TOKEN = 'secret-token-of-the-user-0123456789'
const needsConfirmation = () => ({
  ok: false,
  error: {
    type: 'CONFIRMATION_REQUIRED',
    message: 'the user must confirm this first',
    retryable: false,
    partialSideEffects: false,
    confirmation_request: {
      token: TOKEN,
      expires: 1893456000000,
      tool: 'calendar_create_event',
      args: { title: 'Review' },
      preview: 'Create Review',
    },
  },
  intents: [],
  meta: META,
})

module.exports = { found, needsConfirmation, TOKEN }
