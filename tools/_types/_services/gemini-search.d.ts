// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * `urls` are pages that Gemini reads in addition (`url_context`); this process opens none of them.
 *
 */
export function createGeminiSearch({ apiKey, model, timeoutMs, baseUrl }: {
    apiKey: import("./json-request.js").ApiKey;
    model?: string | undefined;
    timeoutMs?: number | undefined;
    baseUrl?: string | undefined;
}): import("./service-types.js").SearchService;
export type JsonObject = import("./service-types.js").JsonObject;
