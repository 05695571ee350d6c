// The transport under the import path that voice servers use. Nothing is defined here.
import transport from 'toolgate/transports/anthropic-transport.js'

export const { AnthropicTransport } = transport
