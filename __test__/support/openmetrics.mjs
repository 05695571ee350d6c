// Reads OpenMetrics text; each line is checked against the format.

const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\d+(?:\.\d+)?(?:e-\d+)?)$/
const SUFFIXES = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }

/** @returns {Map<string, { type: string, help: string, samples: Record<string, number> }>} by family; samples by name and labels */
export function readOpenMetrics(text) {
  const lines = text.split('\n')
  expect(lines.splice(-2)).toEqual(['# EOF', ''])
  const families = new Map()
  let current
  for (const line of lines) {
    const [, kind, name, rest] = /^# (TYPE|UNIT|HELP) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') {
      expect(families.has(name)).toBe(false)
      current = { name, type: rest, samples: {} }
      families.set(name, current)
    } else if (kind !== undefined) {
      expect(name).toBe(current.name)
      current[kind.toLowerCase()] = rest
    } else readSample(line, current)
  }
  return families
}

function readSample(line, { name, type, samples }) {
  expect(line).toMatch(SAMPLE)
  const [, sampled, labels = '', value] = SAMPLE.exec(line)
  expect(SUFFIXES[type].map(suffix => name + suffix)).toContain(sampled)
  const key = `${sampled}{${labels}}`
  expect(Object.hasOwn(samples, key)).toBe(false)
  samples[key] = Number(value)
}

/** All samples of a scrape by name and labels. */
export const samplesOf = text => Object.assign({}, ...[...readOpenMetrics(text).values()].map(({ samples }) => samples))
