// Generated from JSDoc by scripts/write-path-types.mjs.
export function createAiSdkLlm(model: import("ai").LanguageModel, { timeoutMs, thinkingTokens }?: {
    timeoutMs?: number;
    thinkingTokens?: number;
}): import("./service-types.js").LlmService;
/**
 * A model of the AI SDK that sees images, as the option `analyze` of `createFrameStore`.
 *
 */
export function createAiSdkFrameAnalyzer(model: import("ai").LanguageModel, { timeoutMs, thinkingTokens }?: {
    timeoutMs?: number;
    thinkingTokens?: number;
}): import("./vision-frames.js").FrameAnalyzer;
