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

/**
 * The zone that an utterance names, if any, and where.
 *
 * @param {string} text
 * @returns {{ value: string, span: [from: number, to: number] } | undefined}
 */
export function zoneIn(text) {
  const iana = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/.exec(text)
  if (iana !== null) return { value: iana[0], span: [iana.index, iana.index + iana[0].length] }
  const words = [...text.matchAll(/\p{L}+/gu)].map(({ 0: word, index }) => ({ word: word.toLowerCase(), index }))
  for (const length of [3, 2, 1]) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const name = words.slice(at, at + length)
      const zone = zones.get(name.map(({ word }) => word).join(' '))
      const last = name[length - 1]
      if (zone !== undefined) return { value: zone, span: [name[0].index, last.index + last.word.length] }
    }
  }
  return undefined
}
