// Generated from JSDoc by scripts/write-path-types.mjs.
export function refuseBadRange(range: Partial<Period> | undefined, pointer: string): null | FailedResult;
/**
 * The same for a range of two arguments, both required, that must not be empty either.
 *
 */
export function refuseEmptyRange(range: Period, names: {
    start: string;
    end: string;
}): null | FailedResult;
export function refuseLongRange(range: Period, names: {
    start: string;
    end: string;
}, days: number): null | FailedResult;
/** The UTC offset that a date-time is written with.
 */
export function offsetMs(dateTime: string): number;
export type FailedResult = import("./service-types.js").FailedResult;
export type Period = import("./service-types.js").Period;
