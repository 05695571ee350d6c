// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The union of intervals, in order and without overlaps. Intervals that touch become one; empty ones are left out.
 *
 */
export function unionOf(intervals: Interval[]): import("./service-types.js").Interval[];
/** The parts of intervals that lie in a range.
 */
export function clipTo({ start: from, end: to }: Interval, intervals: Interval[]): {
    start: number;
    end: number;
}[];
/** The gaps of a union within a range.
 */
export function gapsOf(union: Interval[], { start: from, end: to }: Interval): {
    start: number;
    end: number;
}[];
/**
 * The free slots of a range that are long enough, as tools show them.
 *
 */
export function freeSlots(busy: Period[], range: Period, minMinutes: number): (Period & {
    duration_minutes: number;
})[];
export function toInterval({ start, end }: Period): Interval;
export function toPeriod({ start, end }: Interval): Period;
export type Interval = import("./service-types.js").Interval;
export type Period = import("./service-types.js").Period;
