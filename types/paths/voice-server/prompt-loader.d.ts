// Generated from JSDoc by scripts/write-path-types.mjs.
export { getToolDocumentation, loadTextPrompt, loadVoicePrompt } from "toolgate";
