// Generated from JSDoc by scripts/write-path-types.mjs.
export { GeminiLiveTransport } from 'toolgate/transports/gemini-live-transport.js';
