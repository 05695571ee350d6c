// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The id of the event that a key creates: the same for the same key, so that a calendar recognises an event it already
 * has. The characters are valid for every calendar: Google allows 5 to 1024 of `0-9a-v`.
 *
 */
export function eventIdOf(idempotencyKey?: string): string;
/**
 * Throws a TypeError if the argument is not an event. For other callers: handlers have validated their arguments.
 *
 */
export function checkNewEvent({ title, start, end, attendees }: NewEvent): void;
export type NewEvent = {
    title: string;
    /**
     * date-time
     */
    start: string;
    /**
     * date-time, later than start
     */
    end: string;
    /**
     * e-mail addresses
     */
    attendees: string[];
    description?: string | undefined;
    /**
     * whether a link for a video meeting is wanted
     */
    meetingLink?: boolean | undefined;
};
export type CreatedEvent = {
    id: string;
    title: string;
    /**
     * date-time in UTC
     */
    start: string;
    /**
     * date-time in UTC
     */
    end: string;
    attendees: string[];
    meetingLink: string | null;
};
