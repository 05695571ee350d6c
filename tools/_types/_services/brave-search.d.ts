// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * `urls` narrows the search to the sites of these pages; Brave does not open pages.
 *
 */
export function createBraveSearch({ apiKey, country, language, timeoutMs, baseUrl }: {
    apiKey: import("./json-request.js").ApiKey;
    country?: string | undefined;
    language?: string | undefined;
    timeoutMs?: number | undefined;
    baseUrl?: string | undefined;
}): import("./service-types.js").SearchService;
