// Generated from JSDoc by scripts/write-path-types.mjs.
export function createAiSdkLlm(model: import("ai").LanguageModel, { timeoutMs }?: {
    timeoutMs?: number;
}): import("./service-types.js").LlmService;
