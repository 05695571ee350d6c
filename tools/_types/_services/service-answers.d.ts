// Generated from JSDoc by scripts/write-path-types.mjs.
export function recordIn(answer: unknown): any;
export function eventIn(answer: unknown): any;
export function recordsIn(answer: unknown): any;
export function eventsIn(answer: unknown): ReadEvent[] | any;
export type JsonObject = import("./service-types.js").JsonObject;
export type ReadEvent = import("./service-types.js").Period & {
    calendar?: string;
    title: string | null;
    attendees?: string[];
    busy?: boolean;
};
