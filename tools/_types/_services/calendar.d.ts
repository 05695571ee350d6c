// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Makes a calendar that implements the `calendar` service.
 *
 * It reads `primary.ics`, `team.ics` and `personal.ics` of a folder at each request, and creates events in
 * `primary.ics`. A calendar without a file is a ServiceError `INVALID_NAMESPACE`, except for `primary`, which is empty
 * then. Creation is atomic for all processes of this machine that use the folder: either the time was free and the
 * event is on the disk, or nothing changed. It sends no invitations and creates no meeting links.
 *
 */
export function createCalendar({ folder, timeZone }?: {
    folder?: string | URL;
    timeZone?: string;
}): Promise<import("./service-types.js").CalendarService>;
export type Timezone = import("./ics-times.js").Timezone;
export type Interval = import("./service-types.js").Interval;
export type NewEvent = import("./calendar-event.js").NewEvent;
/**
 * `locks`: the folder of the lock; `queue`: the last creation
 */
export type EmbeddedCalendar = {
    files: ReturnType<typeof createCalendarFolder>;
    zone: Timezone;
    locks: string;
    queue: Promise<unknown>;
};
import { createCalendarFolder } from './calendar-folder.js';
