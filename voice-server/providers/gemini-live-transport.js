// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/gemini-live-transport.js'

export const { GeminiLiveTransport } = transport
