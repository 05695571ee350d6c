// Medians, and the ratios of rounds that belong together.

/** @param {number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Of `values[i] / base[i]`: the median, the middle half, the least and the most. */
export function pairedRatio(values, base) {
  const ratios = values.map((value, round) => value / base[round]).sort((one, other) => one - other)
  const at = (share) => ratios[Math.floor(share * (ratios.length - 1))]
  return { median: median(ratios), lower: at(0.25), upper: at(0.75), min: ratios[0], max: ratios.at(-1) }
}
