// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/openai-transport.js'

export const { OpenAITransport } = transport
