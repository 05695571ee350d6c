// What the host's code throws, rejects with and returns, at each place where the package calls it.
import { randomDescription } from '../hostile-value.mjs'
import { PLACES, WAYS } from '../hostile-places.mjs'
import { WatchedChild, runWatched } from '../watched-child.mjs'

const MAX_CASE_MS = 2000

export const name = 'hostile'

export async function open() {
  return { child: new WatchedChild('hostile', MAX_CASE_MS) }
}

/** @param {Awaited<ReturnType<typeof open>>} context */
export async function close({ child }) {
  child.close()
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} context */
export async function step(random, count, { child }) {
  const found = { place: random.pick(PLACES), way: random.pick(WAYS), value: randomDescription(random) }
  return runWatched(child, found, outcome => count(`${found.place} ${outcome}`))
}
