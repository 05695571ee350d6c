// Generated from JSDoc by scripts/write-path-types.mjs.
export { AnthropicTransport } from 'toolgate/transports/anthropic-transport.js';
