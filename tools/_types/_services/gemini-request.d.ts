// Generated from JSDoc by scripts/write-path-types.mjs.
export function createGeminiRequest({ baseUrl, ...options }: Pick<import("./json-request.js").JsonRequestOptions, "apiKey" | "timeoutMs" | "maxBytes"> & {
    baseUrl?: string;
}): (method: string, path: string, options?: {
    query?: Query;
    body?: object;
    headers?: Record<string, string>;
    signal?: AbortSignal;
}) => Promise<import("./json-request.js").JsonObject>;
export type JsonObject = import("./service-types.js").JsonObject;
