// Generated from JSDoc by scripts/write-path-types.mjs.
export { ToolTransport } from 'toolgate/transports/transport.js';
