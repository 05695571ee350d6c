// Re-exports the transport under the import path for voice servers.
import transport from 'toolgate/transports/transport.js'

export const { ToolTransport } = transport
