import * as handler from '../../tools/calculate_roi/handler.js'
import { takes, toolRunner } from './support/run-tool.mjs'

const calculate = toolRunner(handler, 'calculate_roi')
const formulas = [
  'net gain = gains - investment',
  'return on investment = net gain / investment',
  'yearly return = (gains / investment) ^ (1 / years) - 1',
  'payback = investment / (gains / years), if the gains come evenly',
]

test.each([
  ['a gain over three years', { investment: 40000, gains: 58000, period: 3 }, [18000, 45, 13.19, 2.07]],
  ['a loss', { investment: 100, gains: 50, period: 2 }, [-50, -50, -29.29, 4]],
  ['nothing gained', { investment: 100, gains: 100, period: 1 }, [0, 0, 0, 1]],
  ['all lost', { investment: 100, gains: 0, period: 5 }, [-100, -100, -100, null]],
  ['half a year', { investment: 100, gains: 110, period: 0.5 }, [10, 10, 21, 0.45]],
  ['the largest amounts', { investment: 1e15, gains: 1e15, period: 200 }, [0, 0, 0, 200]],
  ['the smallest investment', { investment: 5e-324, gains: 1e15, period: 1 }, [1e15, null, null, 0]],
  ['a tiny period', { investment: 1, gains: 1e15, period: 1e-9 }, [1e15 - 1, 99999999999999900, null, 0]],
  ['tiny gains', { investment: 1e15, gains: 5e-324, period: 1 }, [-1e15, -100, -100, null]],
  ['a loss below a cent', { investment: 1, gains: 0.999999, period: 1 }, [0, 0, 0, 1]],
])('%s', async (_, args, [net_gain, roi_percent, annual_roi_percent, payback_years]) => {
  expect(await calculate(args)).toEqual({
    ok: true,
    data: { ...args, net_gain, roi_percent, annual_roi_percent, payback_years, formulas },
  })
})

test('without a period it is one year', async () => {
  expect((await calculate({ investment: 100, gains: 120 })).data).toMatchObject({ period: 1, annual_roi_percent: 20 })
})

test('what the schema keeps out', () => {
  const good = { investment: 1, gains: 1 }
  expect(takes('calculate_roi', good)).toBe(true)
  const bad = [
    {},
    { investment: 0, gains: 1 },
    { investment: -1, gains: 1 },
    { investment: 1, gains: -1 },
    { investment: 1e16, gains: 1 },
    { investment: '100', gains: 1 },
    { investment: '１００', gains: 1 },
    { ...good, period: 0 },
    { ...good, period: 201 },
    { ...good, currency: 'EUR' },
  ]
  for (const args of bad) expect([args, takes('calculate_roi', args)]).toEqual([args, false])
})
