// The transport under the import path that voice servers use. Nothing is defined here.
import transport from 'toolgate/transports/gemini-live-transport.js'

export const { GeminiLiveTransport } = transport
