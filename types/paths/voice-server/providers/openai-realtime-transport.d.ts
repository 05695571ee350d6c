// Generated from JSDoc by scripts/write-path-types.mjs.
export { OpenAIRealtimeTransport } from 'toolgate/transports/openai-realtime-transport.js';
