// Generated from JSDoc by scripts/write-path-types.mjs.
export function createCalendarFolder(folder: string, sample?: string): {
    /** The VCALENDAR components of a calendar, read-only; `null` if there is no such file.
 */
    read(id: string): Promise<any>;
    /** A copy of them to be changed, or of a new calendar.
 */
    readForUpdate(id: string): Promise<any>;
    /**
     * Resolves when the file is on the disk: a power failure leaves either the old or the new file.
 */
    write(id: string, calendars: Component[]): Promise<void>;
};
/** The calendars that tools name. */
export const CALENDARS: readonly string[];
export type Component = import("./ics-document.js").Component;
/**
 * by file
 */
export type CalendarCache = Map<string, {
    version: string;
    calendars: Component[];
}>;
