'use strict'
// The transports with calls as the gate reads them: arguments that came as text are that text.
const { argsOfCall } = require('../../../js/values/received-args.js')
const { AnthropicTransport } = require('../../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../../js/transports/gemini-live-transport.js')
const { OpenAILiveTransport } = require('../../../js/transports/openai-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../../js/transports/openai-transport.js')

const viewed = Transport =>
  class extends Transport {
    receiveToolCalls(event) {
      return super.receiveToolCalls(event).map(call => ({ ...call, args: argsOfCall(call) }))
    }
  }

module.exports = {
  AnthropicTransport: viewed(AnthropicTransport),
  GeminiLiveTransport: viewed(GeminiLiveTransport),
  OpenAILiveTransport: viewed(OpenAILiveTransport),
  OpenAIRealtimeTransport: viewed(OpenAIRealtimeTransport),
  OpenAITransport: viewed(OpenAITransport),
}
