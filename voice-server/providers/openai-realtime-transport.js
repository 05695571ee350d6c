// The transport under the import path that voice servers use. Nothing is defined here.
import transport from 'toolgate/transports/openai-realtime-transport.js'

export const { OpenAIRealtimeTransport } = transport
