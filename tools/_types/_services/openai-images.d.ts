// Generated from JSDoc by scripts/write-path-types.mjs.
export function createOpenAiImages({ apiKey, model, timeoutMs, baseUrl, }: {
    apiKey: import("./json-request.js").ApiKey;
    model?: string | undefined;
    timeoutMs?: number | undefined;
    baseUrl?: string | undefined;
}): import("./image-service.js").ImageGenerator;
