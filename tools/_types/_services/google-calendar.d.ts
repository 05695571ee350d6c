// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Makes a calendar that implements the `calendar` service.
 *
 * The id of an event is derived from its idempotency key, so that Google itself refuses a second creation, which is
 * answered with the first event. The free/busy check comes before the creation: Google has no atomic operation for
 * both, so another person may take the time in between. The meeting link is from Google Meet.
 *
 */
export function createGoogleCalendar({ accessToken, calendars, sendUpdates, timeoutMs, baseUrl, }: {
    accessToken: (options: {
        signal: AbortSignal;
    }) => string | Promise<string>;
    calendars?: Partial<Record<"primary" | "team" | "personal", string>> | undefined;
    sendUpdates?: "none" | "all" | "externalOnly" | undefined;
    timeoutMs?: number | undefined;
    baseUrl?: string | undefined;
}): import("./service-types.js").CalendarService;
export type NewEvent = import("./calendar-event.js").NewEvent;
export type JsonObject = import("./service-types.js").JsonObject;
export type RequestOptions = import("./service-types.js").RequestOptions;
export type ServiceErrorDetails = import("./service-errors.js").ServiceErrorDetails;
/**
 * `queue`: the last creation
 */
export type GoogleCalendar = {
    request: ReturnType<typeof createGoogleRequest>;
    ids: Record<string, string>;
    sendUpdates: string;
    queue: Promise<unknown>;
};
import { createGoogleRequest } from './google-request.js';
