// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/openai-realtime-transport.js'

export const { OpenAIRealtimeTransport } = transport
