// Generated from JSDoc by scripts/write-path-types.mjs.
export function occurrencesIn(calendars: Component[], range: Interval, zone: Timezone): Occurrence[];
export type Component = import("./ics-document.js").Component;
export type Event = import("./ics-document.js").Event;
export type Time = import("./ics-times.js").Time;
export type Timezone = import("./ics-times.js").Timezone;
export type Interval = import("./service-types.js").Interval;
export type Occurrence = {
    /**
     * the UID that all occurrences of an event share
     */
    id: string;
    title: string;
    /**
     * epoch milliseconds
     */
    start: number;
    end: number;
    /**
     * e-mail addresses
     */
    attendees: string[];
    /**
     * whether it takes the time: not cancelled, and not marked as transparent
     */
    busy: boolean;
};
