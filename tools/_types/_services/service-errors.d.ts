// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Converts a service's error to the failed ToolResponse that a handler returns. An error without a known code is thrown
 * again, so that the gate handles it as unexpected.
 *
 */
export function serviceFailure(error: unknown, service: string, { writing }?: {
    writing?: boolean;
}): FailedResult;
/**
 * A service's error with a code that callers distinguish.
 *
 * Other services need not use this class: any error with one of these `code`s is converted.
 *
 */
export class ServiceError extends Error {
    constructor(code: string, message: string, { cause, ...more }?: Omit<ServiceErrorDetails, "code"> & {
        cause?: unknown;
    });
    code: string;
}
export type FailedResult = import("./service-types.js").FailedResult;
export type Failure = Extract<FailedResult, {
    ok: false;
}>;
export type ServiceErrorDetails = {
    code?: unknown;
    retryAfter?: number;
    unsent?: boolean;
    status?: number;
    reason?: string;
    conflicts?: import("./service-types.js").Period[];
};
