'use strict'
// Values that a frame can hold where its protocol promises something else.

function nested(depth) {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}

const HOSTILE = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  NaN,
  1e308,
  '',
  'text',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  [undefined],
  ['x'],
  [{}],
  [[{}]],
  { length: 1e9 },
  { 0: 'a', length: 1 },
  JSON.parse('{"__proto__":{"x":1}}'),
  { id: {}, name: [], args: 1 },
  nested(20_000),
]

/** Every value at every place of a frame. `at` makes a frame from a value. */
function framesOf(places) {
  return places.flatMap(at => HOSTILE.map(value => at(value)))
}

module.exports = { HOSTILE, framesOf, nested }
