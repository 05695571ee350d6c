// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * An event of a list.
 *
 */
export function toEvent(event: JsonObject, timeZone?: string): import("./service-types.js").ListedEvent;
export function toCreated(event: JsonObject): import("./calendar-event.js").CreatedEvent;
export function toInsert({ title, description, start, end, attendees, meetingLink }: import("./calendar-event.js").NewEvent, id: string): {
    conferenceData?: {
        createRequest: {
            requestId: string;
            conferenceSolutionKey: {
                type: string;
            };
        };
    } | undefined;
    start: {
        dateTime: string;
    };
    end: {
        dateTime: string;
    };
    attendees: {
        email: string;
    }[];
    description?: string | undefined;
    id: string;
    summary: string;
};
export type JsonObject = import("./service-types.js").JsonObject;
