// Medians, and the ratios of rounds that belong together.

/** @param {number[]} values at least one */
export function median(values) {
  return spread(values).median
}

/**
 * @typedef {{ median: number, lower: number, upper: number, min: number, max: number }} Spread
 * @param {number[]} values at least one
 * @returns {Spread} the median, the middle half, the least and the most
 */
export function spread(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const at = share => sorted[Math.floor(share * (sorted.length - 1))]
  return {
    median: sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
    lower: at(0.25),
    upper: at(0.75),
    min: sorted[0],
    max: sorted.at(-1),
  }
}

/** The spread of `values[i] / base[i]`. */
export function pairedRatio(values, base) {
  return spread(values.map((value, round) => value / base[round]))
}

/** `values[i] - base[i]`: what is left of each round without what it would have taken anyway. */
export function pairedDifference(values, base) {
  return values.map((value, round) => value - base[round])
}

/** @param {number[]} values at least one @param {number} share 0.99 for the value that 99 % do not exceed */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

/**
 * @typedef {{ p50Ms: number, p95Ms: number, p99Ms: number }} Latencies
 * @param {number[]} milliseconds at least one
 * @returns {Latencies}
 */
export function latenciesOf(milliseconds) {
  const at = share => percentile(milliseconds, share)
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}
