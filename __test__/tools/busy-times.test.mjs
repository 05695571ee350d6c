// Free slots against a slow and obvious judge: the same time counted minute by minute.
import { freeSlots, gapsOf, unionOf } from '../../tools/_services/busy-times.js'
import { seeded } from '../../fuzz/random.cjs'

const MINUTE = 60_000
const RANGE_MINUTES = 600
const BASE = Date.parse('2026-03-29T00:00:00Z')

const at = minute => new Date(BASE + minute * MINUTE).toISOString()
const range = { start: at(0), end: at(RANGE_MINUTES) }

function randomBusy(random) {
  return Array.from({ length: random(12) }, () => {
    const start = random(RANGE_MINUTES + 200) - 100
    return { start: at(start), end: at(start + random(120)) }
  })
}

function slotsByMinutes(busy, minMinutes) {
  const isBusy = minute =>
    busy.some(
      ({ start, end }) => Date.parse(start) <= BASE + minute * MINUTE && BASE + minute * MINUTE < Date.parse(end),
    )
  const slots = []
  for (let minute = 0, from = null; minute <= RANGE_MINUTES; minute += 1) {
    const isFree = minute < RANGE_MINUTES && !isBusy(minute)
    if (isFree) from ??= minute
    if (isFree || from === null) continue
    if (minute - from >= minMinutes) slots.push({ start: at(from), end: at(minute), duration_minutes: minute - from })
    from = null
  }
  return slots
}

test('slots are the gaps of the union of busy times, clipped to the range, and long enough', () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = seeded(seed).below
    const busy = randomBusy(random)
    const minMinutes = 15 + random(60)
    expect({ seed, slots: freeSlots(busy, range, minMinutes) }).toEqual({
      seed,
      slots: slotsByMinutes(busy, minMinutes),
    })
  }
})

test('a union has no overlaps, is in order, and does not depend on the order of what goes in', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed).below
    const intervals = Array.from({ length: 10 }, () => {
      const start = random(100)
      return { start, end: start + random(20) }
    })
    const union = unionOf(intervals)
    expect(union.every(({ start, end }, index) => start < end && (index === 0 || union[index - 1].end < start))).toBe(
      true,
    )
    expect(unionOf([...intervals].reverse())).toEqual(union)
    expect(unionOf(union)).toEqual(union)
  }
})

test('a full range has no gap, an empty one is a gap itself', () => {
  expect(gapsOf([{ start: -5, end: 500 }], { start: 0, end: 100 })).toEqual([])
  expect(gapsOf([], { start: 0, end: 100 })).toEqual([{ start: 0, end: 100 }])
  expect(
    gapsOf(
      [
        { start: 100, end: 200 },
        { start: -10, end: 0 },
      ],
      { start: 0, end: 100 },
    ),
  ).toEqual([{ start: 0, end: 100 }])
})

test('a part of a minute is not counted', () => {
  const busy = [{ start: '2026-03-29T00:30:59Z', end: range.end }]
  expect(freeSlots(busy, range, 30)).toEqual([{ start: at(0), end: '2026-03-29T00:30:59.000Z', duration_minutes: 30 }])
  expect(freeSlots(busy, range, 31)).toEqual([])
})
