// Generated from JSDoc by scripts/write-path-types.mjs.
export function createGoogleRequest({ baseUrl, accessToken, timeoutMs }: {
    baseUrl: string;
    accessToken: AccessToken;
    timeoutMs: number;
}): (method: string, path: string[], options?: {
    query?: Query;
    body?: object;
    signal?: AbortSignal;
}) => Promise<JsonObject>;
export type JsonObject = import("./service-types.js").JsonObject;
export type AccessToken = (options: {
    signal: AbortSignal;
}) => string | Promise<string>;
export type Query = Record<string, string | number | boolean | undefined>;
