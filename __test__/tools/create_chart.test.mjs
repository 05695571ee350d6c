import * as handler from '../../tools/create_chart/handler.js'
import { INJECTION, takes, toolRunner } from './support/run-tool.mjs'

const draw = toolRunner(handler, 'create_chart')
const chart = (over = {}) => ({
  type: 'bar',
  title: 'Revenue by quarter, in thousand euros',
  data: [
    { quarter: 'Q1', revenue: 120, note: 'left out' },
    { quarter: 'Q2', revenue: null },
  ],
  x: 'quarter',
  y: ['revenue'],
  ...over,
})

test('a specification of what the axes name', async () => {
  expect(await draw(chart())).toEqual({
    ok: true,
    data: {
      type: 'bar',
      title: 'Revenue by quarter, in thousand euros',
      x: 'quarter',
      series: ['revenue'],
      rows: [
        { quarter: 'Q1', revenue: 120 },
        { quarter: 'Q2', revenue: null },
      ],
      source: 'numbers as given with the call; not checked against any source',
    },
  })
})

test('four series of 200 rows', async () => {
  const y = ['a', 'b', 'c', 'd']
  const data = Array.from({ length: 200 }, (_, at) => ({ at, a: 1, b: -1, c: 1e308, d: 0 }))
  const response = await draw(chart({ type: 'area', data, x: 'at', y }))
  expect(response.data.rows).toEqual(data)
})

const problem = (instancePath, message) => ({ instancePath, schemaPath: '', keyword: 'chart', params: {}, message })

test.each([
  ['a missing x', { data: [{ revenue: 1 }] }, [['/data/0', 'the row has no `quarter`']]],
  ['x is null', { data: [{ quarter: null, revenue: 1 }] }, [['/data/0', 'the row has no `quarter`']]],
  [
    'numbers as text',
    { data: [{ quarter: 'Q1', revenue: '120' }] },
    [
      ['/y/0', '`revenue` has no number in any row'],
      ['/data/0', '`revenue` must be a number, or null for a gap'],
    ],
  ],
  ['only gaps', { data: [{ quarter: 'Q1', revenue: null }] }, [['/y/0', '`revenue` has no number in any row']]],
  [
    'x as a series',
    { data: [{ quarter: 1, revenue: 1 }], y: ['revenue', 'quarter'] },
    [['/y/1', "`quarter` is the x axis; it can't be a series"]],
  ],
  [
    'a pie of two series',
    { type: 'pie', data: [{ quarter: 'Q1', revenue: 1, cost: 1 }], y: ['revenue', 'cost'] },
    [['/y', 'a pie shows one series']],
  ],
  [
    'a negative part',
    { type: 'pie', data: [{ quarter: 'Q1', revenue: -1 }] },
    [['/data/0', 'a part of a pie must be a number from 0, `revenue` is not']],
  ],
  [
    'parts of nothing',
    { type: 'pie', data: [{ quarter: 'Q1', revenue: 0 }] },
    [['/y/0', 'the parts of a pie are all 0']],
  ],
  [
    'inherited members',
    { data: [{ quarter: 'Q1', revenue: 1 }], x: 'constructor' },
    [['/data/0', 'the row has no `constructor`']],
  ],
])('%s is refused', async (_, over, problems) => {
  const [[at, message]] = problems
  expect(await draw(chart(over))).toEqual({
    ok: false,
    error: {
      type: 'VALIDATION',
      message: `the data does not fit the chart: ${message} (${at})`,
      retryable: false,
      details: problems.map(([path, text]) => problem(path, text)),
    },
  })
})

test('at most ten problems are listed', async () => {
  const data = Array.from({ length: 200 }, () => ({ quarter: 'Q', revenue: 'many' }))
  expect((await draw(chart({ data }))).error.details).toHaveLength(10)
})

test('a member that is called `__proto__` is an ordinary one', async () => {
  const data = JSON.parse('[{ "__proto__": 1, "quarter": "Q1" }]')
  const { rows } = (await draw(chart({ data, y: ['__proto__'] }))).data
  expect(JSON.stringify(rows)).toBe('[{"quarter":"Q1","__proto__":1}]')
})

test('instructions in labels are data', async () => {
  const data = [{ quarter: INJECTION, revenue: 1 }]
  expect((await draw(chart({ data, title: '<script>alert(1)</script>' }))).data).toMatchObject({
    title: '<script>alert(1)</script>',
    rows: data,
  })
})

test('what the schema keeps out', () => {
  const bad = [
    { type: 'scatter' },
    { title: '' },
    { title: 'x'.repeat(121) },
    { data: [] },
    { data: Array.from({ length: 201 }, () => ({ quarter: 'Q', revenue: 1 })) },
    { data: [{ quarter: 'Q', revenue: [1] }] },
    { data: [{ quarter: 'Q', revenue: { now: 1 } }] },
    { data: [{ quarter: 'x'.repeat(121), revenue: 1 }] },
    { data: [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`m${at}`, 1]))] },
    { y: [] },
    { y: ['a', 'b', 'c', 'd', 'e'] },
    { y: ['revenue', 'revenue'] },
  ]
  for (const over of bad) expect([over, takes('create_chart', chart(over))]).toEqual([over, false])
})
