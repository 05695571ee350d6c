// Generated from JSDoc by scripts/write-path-types.mjs.
/** The VCALENDAR components of a text; usually one. Throws if it is none.
 */
export function parseCalendars(text: string): any;
export function emptyCalendar(): ICAL.Component;
export function toText(calendars: Component[]): string;
/** The event of this UID as it was created, or `null`.
 */
export function findEvent(calendars: Component[], uid: string): ICAL.Event | null;
/** The e-mail addresses of the attendees.
 */
export function addressesOf(event: Event): string[];
/**
 * Adds an event to a calendar.
 *
 */
export function addEvent(calendar: Component, { id, now, title, description, start, end, attendees }: import("./calendar-event.js").NewEvent & {
    id: string;
    now: number;
}): void;
export type Component = InstanceType<typeof ICAL.Component>;
export type Event = InstanceType<typeof ICAL.Event>;
import ICAL from 'ical.js';
