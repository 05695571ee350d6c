// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/anthropic-transport.js'

export const { AnthropicTransport } = transport
