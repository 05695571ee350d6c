import { median, pairedDifference, pairedRatio, percentile, spread } from '../../bench/statistics.mjs'

test('a median stands in the middle, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([7])).toBe(7)
})

test('values are left in the order they came in', () => {
  const values = [3, 1, 2]
  spread(values)
  percentile(values, 0.5)
  expect(values).toEqual([3, 1, 2])
})

test('a spread names the middle half and the extremes', () => {
  expect(spread([10, 1, 2, 3, 4])).toEqual({ median: 3, lower: 2, upper: 4, min: 1, max: 10 })
})

test('ratios are made within a round: a slow round of both moves none', () => {
  const { median: middle, min, max } = pairedRatio([1, 50, 1], [2, 100, 2])
  expect([middle, min, max]).toEqual([0.5, 0.5, 0.5])
  expect(pairedRatio([1, 3], [2, 2]).median).toBe(1)
})

test('a difference is made within a round', () => {
  expect(pairedDifference([5, 7], [1, 10])).toEqual([4, -3])
})

test('a percentile is a value that so many do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, place) => 100 - place)
  expect(percentile(hundred, 0.99)).toBe(99)
  expect(percentile(hundred, 1)).toBe(100)
  expect(percentile([5], 0.99)).toBe(5)
})
