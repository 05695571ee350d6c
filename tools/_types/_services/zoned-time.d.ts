// Generated from JSDoc by scripts/write-path-types.mjs.
/** Whether the platform knows a time zone of this name, such as `Europe/Berlin`.
 */
export function isTimeZone(name: string): boolean;
/** The time zone of this process. */
export function systemTimeZone(): string;
/**
 * The UTC offset of a wall-clock time.
 *
 * By RFC 5545 (3.3.5), an ambiguous time means the first of both, and a time skipped by the change to daylight saving
 * time is read with the offset before the change.
 *
 */
export function offsetOfWallTime(wallMs: number, timeZone: string): number;
/** The start of a day, in epoch milliseconds.
 */
export function startOfDay(date: string, timeZone: string): number;
