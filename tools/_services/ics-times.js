// Converts times of iCalendar files to epoch milliseconds. A file's own VTIMEZONE has precedence; a time zone without
// VTIMEZONE is the platform's; times without a time zone, and days, are in the calendar's time zone.
import ICAL from 'ical.js'

import { isTimeZone, offsetOfWallTime } from './zoned-time.js'

/**
 * @typedef {import('./ics-document.js').Component} Component
 * @typedef {InstanceType<typeof ICAL.Time>} Time
 * @typedef {InstanceType<typeof ICAL.Timezone>} Timezone
 */

class PlatformTimezone extends ICAL.Timezone {
  /** @param {string} name */
  constructor(name) {
    super({ tzid: name })
    this.name = name
  }

  /** @param {Time} time @returns {number} seconds, as the library expects */
  utcOffset({ year, month, day, hour, minute, second }) {
    return offsetOfWallTime(Date.UTC(year, month - 1, day, hour, minute, second), this.name) / 1000
  }
}

/** @type {Map<string, PlatformTimezone>} */
const zones = new Map()

/** The platform's time zone of this name, for the library. @param {string} name @returns {Timezone} */
export function platformZone(name) {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = new PlatformTimezone(name)
    zones.set(name, zone)
  }
  return zone
}

/**
 * Registers the time zones that a calendar uses without definition. Must be called before its times are read.
 * @param {Component} calendar
 */
export function completeZones(calendar) {
  for (const name of zonesNamedIn(calendar)) {
    if (calendar.getTimeZoneByID(name) || ICAL.TimezoneService.has(name) || !isTimeZone(name)) continue
    ICAL.TimezoneService.register(platformZone(name), name)
  }
}

/** @param {Component} calendar */
function zonesNamedIn(calendar) {
  const properties = calendar.getAllSubcomponents('vevent').flatMap(event => event.getAllProperties())
  return new Set(properties.flatMap(property => property.getParameter('tzid') ?? []))
}

/** @param {Time} time @param {Timezone} zone of floating times @returns {number} epoch milliseconds */
export function momentOf(time, zone) {
  const isFloating = time.isDate || time.zone === ICAL.Timezone.localTimezone
  if (!isFloating) return time.toUnixTime() * 1000
  const { year, month, day, hour, minute, second } = time
  return new ICAL.Time({ year, month, day, hour, minute, second, isDate: false }, zone).toUnixTime() * 1000
}
