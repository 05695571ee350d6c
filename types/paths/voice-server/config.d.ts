// Generated from JSDoc by scripts/write-path-types.mjs.
export const TEXT_BUDGET: Readonly<{
    MAX_RETRIEVAL_CALLS_PER_TURN: number;
    MAX_TOTAL_TOOL_CALLS_PER_TURN: number;
    MAX_TOTAL_CALLS_PER_TURN: number;
    MAX_TOP_K: number;
    LATENCY_BUDGET_MS: number;
    RETRIEVAL_LATENCY_BUDGET_MS: number;
    HARD_FAIL_AFTER: true;
    retrievalCalls: number;
    totalCalls: number;
    retrievalLatencyMs: number | null;
    turnLatencyMs: number | null;
    topK: number | null;
    attempts: number;
    resultLimitBytes: number;
}>;
export const VOICE_BUDGET: Readonly<{
    MAX_RETRIEVAL_CALLS_PER_TURN: number;
    MAX_TOTAL_TOOL_CALLS_PER_TURN: number;
    MAX_TOTAL_CALLS_PER_TURN: number;
    MAX_TOP_K: number;
    LATENCY_BUDGET_MS: number;
    RETRIEVAL_LATENCY_BUDGET_MS: number;
    HARD_FAIL_AFTER: true;
    retrievalCalls: number;
    totalCalls: number;
    retrievalLatencyMs: number | null;
    turnLatencyMs: number | null;
    topK: number | null;
    attempts: number;
    resultLimitBytes: number;
}>;
export const WEBCAM_BUDGET: Readonly<{
    MAX_RETRIEVAL_CALLS_PER_TURN: number;
    MAX_TOTAL_TOOL_CALLS_PER_TURN: number;
    MAX_TOTAL_CALLS_PER_TURN: number;
    MAX_TOP_K: number;
    LATENCY_BUDGET_MS: number;
    RETRIEVAL_LATENCY_BUDGET_MS: number;
    HARD_FAIL_AFTER: true;
    retrievalCalls: number;
    totalCalls: number;
    retrievalLatencyMs: number | null;
    turnLatencyMs: number | null;
    topK: number | null;
    attempts: number;
    resultLimitBytes: number;
}>;
