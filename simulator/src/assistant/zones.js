// Time zones by the names that people use: IANA names, their cities, and a few countries and abbreviations.

/** @type {Record<string, string>} */
const OTHER_NAMES = {
  utc: 'UTC',
  gmt: 'UTC',
  zulu: 'UTC',
  germany: 'Europe/Berlin',
  munich: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  uk: 'Europe/London',
  england: 'Europe/London',
  france: 'Europe/Paris',
  italy: 'Europe/Rome',
  spain: 'Europe/Madrid',
  japan: 'Asia/Tokyo',
  india: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  china: 'Asia/Shanghai',
  beijing: 'Asia/Shanghai',
  'san francisco': 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  boston: 'America/New_York',
  washington: 'America/New_York',
  miami: 'America/New_York',
  nyc: 'America/New_York',
  texas: 'America/Chicago',
}

/** City names of the platform's zones, such as `new york`. @type {Map<string, string>} */
const zones = new Map([
  ...Intl.supportedValuesOf('timeZone').map(
    zone => /** @type {[string, string]} */ ([(zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase(), zone]),
  ),
  ...Object.entries(OTHER_NAMES),
])

/** The zone that an utterance names, if any. @param {string} text @returns {string | undefined} */
export function zoneIn(text) {
  const [iana] = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/.exec(text) ?? []
  if (iana !== undefined) return iana
  const words = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\s]/gu, ' ')
    .split(/\s+/)
  for (const length of [3, 2, 1]) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const zone = zones.get(words.slice(at, at + length).join(' '))
      if (zone !== undefined) return zone
    }
  }
  return undefined
}
