import { BoundedCache } from '../../tools/_services/bounded-cache.js'

/** A cache whose values are made by a function that counts. */
function counting(bounds) {
  const cache = new BoundedCache(bounds)
  const made = []
  const make = key => {
    made.push(key)
    return key.toUpperCase()
  }
  return { cache, made, get: key => cache.get(key, make) }
}

test('a value is made once', () => {
  const { get, made } = counting({ maxWeight: 4 })
  expect([get('a'), get('b'), get('a')]).toEqual(['A', 'B', 'A'])
  expect(made).toEqual(['a', 'b'])
})

test('what was not used since the last change of generations goes first', () => {
  const { get, made } = counting({ maxWeight: 4 })
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) get(key)
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b'])
})

test('the bound holds, by weight', () => {
  const { cache, get } = counting({ maxWeight: 100, weigh: value => value.length })
  for (let number = 0; number < 1000; number++) get(`word${number}`)
  expect(cache.size).toBeGreaterThan(8)
  expect(cache.size).toBeLessThanOrEqual(100 / 'word0'.length)
})

test.each([
  ['a value of more than half of the weight', { maxWeight: 10, weigh: () => 6 }, 'a'],
  ['a long key', { maxWeight: 10 }, 'a'.repeat(513)],
])('%s is not kept', (_, bounds, key) => {
  const { cache, get, made } = counting(bounds)
  expect(get(key)).toBe(get(key))
  expect([made.length, cache.size]).toEqual([2, 0])
})

test('empty values are kept', () => {
  const cache = new BoundedCache({ maxWeight: 4 })
  let count = 0
  for (const value of ['', false, 0, null]) {
    cache.get(String(value), () => (count++, value))
    expect(cache.get(String(value), () => count++)).toBe(value)
  }
  expect(count).toBe(4)
})
