// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/openai-live-transport.js'

export const { OpenAILiveTransport } = transport
