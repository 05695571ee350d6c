// Generated from JSDoc by scripts/write-path-types.mjs.
export function bookableSlots(busy: Period[], range: Period, { minutes, most, offsetMs, atAnyHour }: {
    minutes: number;
    most: number;
    offsetMs: number;
    atAnyHour?: boolean;
}): Interval[];
/** Whether a time lies in working hours.
 */
export function isInWorkingHours(period: Period, offsetMs: number): boolean;
export type Interval = import("./service-types.js").Interval;
export type Period = import("./service-types.js").Period;
