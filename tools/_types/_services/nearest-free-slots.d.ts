// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * At most three free times of the same length, nearest first; none in the past. An empty list if the calendar cannot be
 * read: the conflict itself is the answer.
 *
 */
export function nearestFreeSlots(calendar: import("./service-types.js").CalendarService, wanted: import("./service-types.js").Period, { offsetMs, signal }: {
    offsetMs: number;
    signal?: AbortSignal;
}): Promise<import("./service-types.js").Period[]>;
