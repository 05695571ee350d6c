// Generated from JSDoc by scripts/write-path-types.mjs.
export function bookableSlots(busy: Period[], range: Period, { minutes, most, offsetMs }: {
    minutes: number;
    most: number;
    offsetMs: number;
}): Interval[];
export type Interval = import("./service-types.js").Interval;
export type Period = import("./service-types.js").Period;
