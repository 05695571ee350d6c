// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The API has no idempotency key: after a lost answer an image may have been generated and charged.
 *
 */
export function createGeminiImages({ apiKey, model, timeoutMs, baseUrl }: {
    apiKey: import("./json-request.js").ApiKey;
    model?: string | undefined;
    timeoutMs?: number | undefined;
    baseUrl?: string | undefined;
}): import("./image-service.js").ImageGenerator;
