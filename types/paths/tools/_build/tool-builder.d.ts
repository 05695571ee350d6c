// Generated from JSDoc by scripts/write-path-types.mjs.
export { buildTools } from 'toolgate';
export { toGeminiNative } from "./provider-adapters/gemini-native.js";
export { toOpenAI } from "./provider-adapters/openai.js";
