// Generated from JSDoc by scripts/write-path-types.mjs.
export function createJsonRequest({ baseUrl, apiKey, headersFor, timeoutMs, maxBytes, codeOf, }: JsonRequestOptions): (method: string, path: string, options?: {
    query?: Query;
    body?: object;
    headers?: Record<string, string>;
    signal?: AbortSignal;
}) => Promise<JsonObject>;
/**
 * Runs `work` under a signal that also aborts after `timeoutMs`.
 */
export function withinTime<T>(signal: AbortSignal | undefined, timeoutMs: number, work: (signal: AbortSignal, progress: {
    sent: boolean;
}) => Promise<T>): Promise<T>;
/**
 * Google's APIs have no `Retry-After`: the pause is in the answer (`google.rpc.RetryInfo`).
 */
export function retryDelayOf(answer: JsonObject | null): number | undefined;
export function codeOfStatus(status: number): string;
/** `Retry-After` has seconds or a date (RFC 9110, 10.2.3).
 */
export function secondsOf(retryAfter: string | null | undefined): number | undefined;
export type JsonObject = import("./service-types.js").JsonObject;
/**
 * a function is called for
 *  each request
 */
export type ApiKey = string | ((options: {
    signal: AbortSignal;
}) => string | Promise<string>);
export type Query = Record<string, string | number | boolean | undefined>;
export type JsonRequestOptions = {
    /**
     * https, or this machine
     */
    baseUrl: string;
    apiKey: ApiKey;
    /**
     * the headers that carry the key
     */
    headersFor: (key: string) => Record<string, string>;
    /**
     * of one request
     */
    timeoutMs: number;
    /**
     * of one answer
     */
    maxBytes?: number | undefined;
    /**
     * the code of a ServiceError for an answer that
     * is no success, with its JSON object if it has one; by default {@link codeOfStatus}
     */
    codeOf?: ((status: number, answer: JsonObject | null) => string) | undefined;
};
