// The names in the page on observability are the names that are written, all of them.
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'

import { auditEvents } from '../support/audit-events.mjs'

const { prometheusText } = createRequire(import.meta.url)('../../index.js')
const read = path => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
/** The names in the first column of the page's tables. */
const namesIn = page =>
  page
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .flatMap(line => [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name))

test('all events of the audit, and no others', async () => {
  const page = await read('tools/OBSERVABILITY.md')
  const events = await auditEvents()
  expect(events.length).toBeGreaterThan(20)
  expect(
    namesIn(page)
      .filter(name => !name.startsWith('toolgate_'))
      .sort(),
  ).toEqual(events.sort())
})

test('all metrics, and no others', async () => {
  const page = await read('tools/OBSERVABILITY.md')
  const counters = {
    errors: { INTERNAL: 1 },
    questions: {},
    results: {},
    reconciles: {},
    repairs: {},
    latencyHistogram: { boundsMs: [1], counts: [1, 0], sumMs: 1 },
  }
  const health = {
    ok: true,
    closing: false,
    storeError: null,
    audit: { failing: false, lost: 0 },
    owed: { oldestAgeMs: 0 },
  }
  const text = prometheusText({ some_tool: { text: counters } }, health)
  // The samples of a counter have the suffix; its family has not.
  const metrics = [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name, type]) =>
    type === 'counter' ? `${name}_total` : name,
  )
  expect(metrics.length).toBeGreaterThan(8)
  expect(
    namesIn(page)
      .filter(name => name.startsWith('toolgate_'))
      .sort(),
  ).toEqual(metrics.sort())
})
