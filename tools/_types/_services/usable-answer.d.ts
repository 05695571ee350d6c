// Generated from JSDoc by scripts/write-path-types.mjs.
export function unusableAnswer(service: string, { retryable }?: {
    retryable?: boolean;
}): import("./service-types.js").FailedResult;
