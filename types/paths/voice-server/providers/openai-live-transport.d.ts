// Generated from JSDoc by scripts/write-path-types.mjs.
export { OpenAILiveTransport } from 'toolgate/transports/openai-live-transport.js';
