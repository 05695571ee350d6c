// The cases in which a call is refused, one for each stage of admission in its order; the larger ones show what reading,
// hashing and checking cost without anything that comes after.
import { GATEWAYS, SIZE_TITLES, callMaker, makeCase, series } from './cases.mjs'
import { providerId, sizes } from './workload.mjs'

/** One turn per session: what refuses a call may be used up by the turn, or last as long as the session. */
const EXTENT = [40, 1, 16]

function refusal(rung, errorType, { title = rung, make, before, ...rest }) {
  const makeTurn = (from, count) => ({ before: before?.(from), calls: series(make, from, count) })
  return makeCase(`refusal-${rung}`, 'refusal', `refused: ${title}`, {
    extent: EXTENT,
    makeTurn,
    contenders: GATEWAYS,
    expected: expectedOf(errorType),
    ...rest,
  })
}

const expectedOf = errorType => `{"ok":false,"error":{"type":"${errorType}"`

/** Arguments that differ in nothing but the call's id: what the loop guard is there for. */
function looping() {
  const args = JSON.stringify(sizes.small.full(1))
  return n => ({ id: providerId(n), name: sizes.small.tool, args })
}

function invalid(size, key) {
  const make = callMaker({ size, key, args: sizes[size].bad })
  const title = `VALIDATION, ${SIZE_TITLES[size]}, ${key === 'id' ? 'provider id' : 'content hash'}`
  return makeCase(`refusal-validate-${size}-${key}`, 'refusal', `refused: ${title}`, {
    size,
    makeTurn: (from, count) => ({ calls: series(make, from, count) }),
    contenders: GATEWAYS,
    expected: expectedOf('VALIDATION'),
  })
}

/** Enough calls before the clock starts that the first timed one is refused. Their numbers are no timed call's. */
const spent = (make, count) => from => series(make, from + 100_000_000, count)

/** @yields {import('./cases.mjs').Case} */
export function* refusalCases() {
  const small = callMaker({})
  const limited = callMaker({ tool: 'limited_search' })
  const loop = looping()
  yield refusal('alive', 'SESSION_INACTIVE', { title: 'SESSION_INACTIVE', make: small, endsFirst: true })
  yield refusal('known', 'NOT_FOUND', { title: 'NOT_FOUND', make: callMaker({ tool: 'order_a_taxi' }) })
  yield refusal('parse', 'VALIDATION', {
    title: 'VALIDATION, not JSON',
    make: n => ({ ...small(n), args: small(n).args.slice(0, -1) }),
  })
  yield refusal('mode', 'MODE_RESTRICTED', { title: 'MODE_RESTRICTED', make: small, session: { mode: 'webcam' } })
  yield refusal('loop', 'LOOP_DETECTED', { title: 'LOOP_DETECTED', make: loop, before: spent(loop, 4) })
  yield refusal('budget', 'BUDGET_EXCEEDED', {
    title: 'BUDGET_EXCEEDED',
    make: small,
    before: spent(small, 1),
    session: { policy: { retrievalCalls: 1 } },
  })
  yield refusal('rate', 'RATE_LIMIT', { title: 'RATE_LIMIT', make: limited, before: spent(limited, 1) })
  yield invalid('small', 'id')
  yield invalid('medium', 'id')
  yield invalid('huge', 'hash')
  yield refusal('confirm', 'CONFIRMATION_REQUIRED', {
    title: 'CONFIRMATION_REQUIRED',
    make: callMaker({ tool: 'purge_articles' }),
  })
}
