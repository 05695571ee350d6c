// Joins rankings by reciprocal ranks (Cormack, Clarke, Büttcher, SIGIR 2009): scores of different scales need no
// calibration.

/** The constant of that paper: how much the first ranks weigh more than later ones. */
const RANK_CONSTANT = 60

/**
 * @param {string[][]} rankings ids, best first
 * @returns {{ id: string, score: number }[]} best first, ties by id; 1 is the first in every ranking
 */
export function fuseRankings(rankings) {
  /** @type {Map<string, number>} */
  const sums = new Map()
  for (const ranking of rankings) {
    ranking.forEach((id, rank) => sums.set(id, (sums.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank + 1)))
  }
  const most = rankings.length / (RANK_CONSTANT + 1)
  return [...sums]
    .map(([id, sum]) => ({ id, score: Math.round((sum / most) * 1e4) / 1e4 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
