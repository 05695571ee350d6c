// Generated from JSDoc by scripts/write-path-types.mjs.
export { OpenAITransport } from 'toolgate/transports/openai-transport.js';
