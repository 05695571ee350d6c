// The report of figures, on the terminal and in the page.
import { buildOf } from '../../bench/binary.mjs'
import { evaluateGoals } from '../../bench/goals.mjs'
import { chartsOf } from '../../bench/plot/charts.mjs'
import { renewPage } from '../../bench/plot/page.mjs'
import * as report from '../../bench/report.mjs'
import { mergeResults } from '../../bench/results.mjs'
import { storeLines } from '../../bench/stores/report.mjs'
import { sampleMachine, sampleResults, sampleRow } from './results-sample.mjs'

const PAGE =
  'Before.\n\n<!-- what a user gets, made by `npm run bench:plot` -->\nolder gains\n<!-- end of what is made -->\n\n<!-- made by `npm run bench:plot` -->\nwhat was there before\n<!-- end of what is made -->\n\nAfter.\n'

describe('the terminal', () => {
  test('a loss is called one, a near thing is called even', () => {
    expect(report.verdict(1.2)).toBe('LOSS: 1.20x the time')
    expect(report.verdict(0.5)).toBe('2.00x as fast')
    expect([0.96, 1, 1.04].map(report.verdict)).toEqual(['even', 'even', 'even'])
  })

  test('a win is one against the faster gateway', () => {
    const against = (naive, js) => report.standing(sampleRow('it', { naive, js, toolgate: 10 }))
    expect(against(20, 15)).toBe('win')
    expect(against(20, 10)).toBe('even')
    expect(against(20, 5)).toBe('LOSS to the fast one')
    expect(against(5, 20)).toBe('LOSS to the naive one')
    expect(against(5, 5)).toBe('LOSS to both')
  })

  test('rows stand under their headings, a missing floor as a dash', () => {
    const { cases } = sampleResults()
    const table = report.caseTable(cases.map(({ title }) => title))
    const lines = [table.header(), ...cases.map(table.row)]
    const end = table.header().indexOf('Toolgate') + 'Toolgate'.length
    expect(lines.slice(1).map(line => line.slice(0, end).split(/\s+/).at(-1))).toEqual(['4.00', '6.00', '1.00'])
    expect(lines[3]).toContain(' – ')
    expect(lines[2]).toContain('LOSS to the fast one')
    expect(report.legendLines(cases).at(-1)).toBe(
      'Of 3 cases Toolgate is slower than the naive gateway in 0, than the fast one in 1.',
    )
  })

  test('a build for tests is named as that', () => {
    const lines = report.machineLines(
      sampleMachine({ addon: { id: 'abc', bytes: 30e6, strippedBytes: 20e6, build: buildOf(30e6, 20e6) } }),
    )
    expect(lines.join('\n')).toContain('DEVELOPMENT BUILD')
    expect(buildOf(12.1e6, 12e6)).toBe('release')
    expect(buildOf(12e6, null)).toBe('unknown')
  })

  test('goals are told with what is missed and what was not measured', () => {
    const [head, ...lines] = report.goalLines(evaluateGoals(sampleResults()))
    expect(head).toMatch(/^Goals: 18 of 29 hold; 17 not measured/)
    expect(lines.filter(line => line.endsWith('MISSED'))).toHaveLength(11)
  })

  test('of the AI SDK the run without a tool is taken off', () => {
    const lines = report.peerLines(sampleResults().peers)
    expect(lines).toContain("  ai-sdk 60.00 µs, 15.0 times Toolgate's")
    expect(lines.at(-1)).toContain('160 µs with the tool, 100 µs without')
  })

  test('what else is measured is told', () => {
    const { startup, eventLoop, regex, build } = sampleResults()
    expect(report.startupLines(startup).join('\n')).toContain('ratio 0.022; 45x as fast')
    expect(report.eventLoopLines(eventLoop)).toContain(
      '  toolgate p50 2.0, p95 5.0, p99 10, at most 20 ms; a call 20 ms',
    )
    expect(report.regexLines(regex)).toEqual([
      'The pattern ^(a+)+$ on 30 characters: Ajv ended after 5 s; Toolgate 0.012 ms',
    ])
    expect(report.buildLines(build)[1]).toContain('ratio 0.667')
  })
})

describe('durable stores', () => {
  test('each rate is told with its percentiles, and what is missing with its reason', () => {
    const [head, ...lines] = storeLines(sampleResults().postgresStore)
    expect(head).toContain('Writes a second')
    expect(lines).toEqual([
      '  postgres, 64 in flight, one process',
      '    toolgate-postgres    300 (ms: p50 10, p95 30, p99 40)',
      '    dbos                 600 (ms: p50 10, p95 30, p99 40)',
      '  skipped: `pg` is not installed',
    ])
  })

  test('the page has the rows of every database', () => {
    const page = renewPage(PAGE, sampleResults(), [])
    expect(page).toContain('| postgres | dbos | – | – | 600 | 40.0 |')
    expect(page).toContain('| file | node-sqlite | 1000 | 40.0 | 3000 | 40.0 |')
  })
})

describe('what is kept', () => {
  test('a new row takes the place of its older self, the rest stays', () => {
    const kept = sampleResults()
    const newer = sampleRow('small-text-id', { naive: 12, js: 6, toolgate: 3, floor: 2 })
    const other = sampleRow('turn', { naive: 2, js: 1, toolgate: 1 })
    const merged = mergeResults(kept, {
      machine: sampleMachine({ load: 2 }),
      cases: [newer, other],
      peers: null,
      load: { loadMs: 1 },
    })
    expect(merged.cases.map(({ name, us }) => [name, us.toolgate])).toEqual([
      ['small-text-id', 3],
      ['small-text-hash', 6],
      ['refusal-known', 1],
      ['turn', 1],
    ])
    expect(merged.peers).toEqual(kept.peers)
    expect(merged.startup).toEqual(kept.startup)
    expect([merged.load.loadMs, merged.machine.load]).toEqual([1, 2])
  })

  test.each([
    ['another build', { addon: { ...sampleMachine().addon, id: 'other' } }],
    ['another machine', { cpu: 'Another' }],
    ['another Node', { node: '22.0.0' }],
  ])('nothing is kept beside the figures of %s', (_what, changes) => {
    const run = { machine: sampleMachine(changes), cases: [], peers: null }
    expect(mergeResults(sampleResults(), run)).toBe(run)
  })
})

describe('the page', () => {
  test('has its figures made anew between its marks', () => {
    const results = sampleResults()
    const page = renewPage(PAGE, results, Object.keys(chartsOf(results)))
    expect(page).toMatch(/^Before\.[^]*After\.\n$/)
    expect(page).not.toMatch(/what was there before|older gains/)
    expect(page).toContain('Of 29 goals 18 hold.')
    expect(page).toContain('| small-text-id | 2.00 | 12.00 | 6.00 | 4.00 | 0.67 |')
    expect(page).not.toContain('| 100 B, text, content hash |')
    expect(page).toContain("- 100 B, text, content hash: 1.50 of the optimised gateway's time, 0.60 of the naive one's")
    expect(page).toContain('![A small call through Toolgate and its peers](performance/peers.svg)')
    expect(page).not.toContain('Not a release')
    expect(renewPage(page, results, Object.keys(chartsOf(results)))).toBe(page)
  })

  test('says first what a user gets, as far as it was measured', () => {
    const page = renewPage(PAGE, sampleResults(), [])
    const gains = page.slice(0, page.indexOf('Measured on'))
    expect(gains).toContain('A small call takes **0.012 ms** from its text to its answer (p95 0.024 ms, p99 0.036 ms)')
    expect(gains).toContain('One core serves **100 active voice sessions**')
    expect(gains).toContain('On the file store, with each commit on the disk, a write takes 10 ms')
    expect(gains).not.toContain('Redis')
    expect(renewPage(PAGE, { machine: sampleMachine(), cases: [], peers: null }, [])).toContain('Nothing of this')
  })

  test('has what grows, memory and voice sessions', () => {
    const page = renewPage(PAGE, sampleResults(), [])
    expect(page).toContain('| Creating a session among sessions | 1,000 | 100,000 | 0.02 | 0.05 | 2.50 |')
    expect(page).toContain('| A write in a session with records, redis store | 100 | 1,900 | 1 | 1.5 | 1.50 |')
    expect(page).toContain('an idle session 5.00 KB, a record 0.70 KB')
    expect(page).toContain('| 100 | 5 / 20 / 40 | 0 / 2 / 5 | 50 % | served |')
    expect(page).toContain('| 200 | 5 / 20 / 40 | 0 / 2 / 40 | 50 % | not served |')
  })

  test('says on which commit, as far as it is known', () => {
    const results = sampleResults()
    expect(renewPage(PAGE, results, [])).toContain('toolgate 0.1.0, ajv')
    results.machine.commit = '1a2b3c4d'
    expect(renewPage(PAGE, results, [])).toContain('toolgate 0.1.0 (commit 1a2b3c4d), ajv')
  })

  test('marks the figures of a build for tests', () => {
    const results = sampleResults()
    results.machine.addon.build = 'development'
    expect(renewPage(PAGE, results, [])).toContain("Not a release's figures")
  })

  test('without its marks is not touched', () => {
    expect(() => renewPage('no marks', sampleResults(), [])).toThrow('bench:plot')
  })
})

describe('plots', () => {
  const bars = (svg, kind) =>
    [...svg.matchAll(new RegExp(`<rect class="${kind}" x="300" [^>]*width="([\\d.]+)" height="13"`, 'g'))].map(
      ([, width]) => Number(width),
    )

  test('a bar is as long as its share', () => {
    const { 'calls.svg': calls, 'event-loop.svg': loop } = chartsOf(sampleResults())
    const [naive, js, native] = ['naive', 'js', 'toolgate'].map(kind => bars(calls, kind))
    expect([js[0] / naive[0], native[0] / naive[0]].map(share => share.toFixed(2))).toEqual(['0.50', '0.33'])
    expect((bars(loop, 'toolgate')[1] / bars(loop, 'naive')[1]).toFixed(2)).toBe('0.10')
  })

  test('text is escaped, and both kinds of page are thought of', () => {
    const { 'refusals.svg': svg } = chartsOf(sampleResults())
    expect(svg).toContain('refused: NOT_FOUND &lt;&amp;&gt;')
    expect(svg).toContain('prefers-color-scheme: dark')
  })

  test('what was not measured is not drawn', () => {
    expect(Object.keys(chartsOf({ machine: sampleMachine(), cases: [], peers: null }))).toEqual([])
  })
})
