// Generated from JSDoc by scripts/write-path-types.mjs.
/** The platform's time zone of this name, for the library.
 */
export function platformZone(name: string): Timezone;
/**
 * Registers the time zones that a calendar uses without definition. Must be called before its times are read.
 */
export function completeZones(calendar: Component): void;
export function momentOf(time: Time, zone: Timezone): number;
export type Component = InstanceType<typeof ICAL.Component>;
export type Time = InstanceType<typeof ICAL.Time>;
export type Timezone = InstanceType<typeof ICAL.Timezone>;
import ICAL from 'ical.js';
