// Which runs there are: a number names one, and always the same.
import { SCENARIOS } from './run.js'
import { SURFACES } from './surfaces.js'

/** Cuts come more often than other faults: one at each frame in turn. */
const FAULTS = [
  'cut',
  'clientCut',
  '1011',
  'clientClosed',
  'cut',
  'goAway',
  'clientCut',
  'doubled',
  'cut',
  'repeated',
  'clientClosed',
  'oldCredentials',
  '1011',
  'strange',
  'clientCut',
  'flipped',
  'cut',
  'silent',
  'host',
]
const HOSTS = ['twice', 'late', 'foreign']
const COMBINATIONS = Object.keys(SURFACES).flatMap(surface => SCENARIOS.map(scenario => ({ surface, scenario })))

/** A number that spreads the seeds. @param {number} seed */
const spread = seed => Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 8

/** @param {number} seed @returns {import('./run.js').Plan} */
export function planOf(seed) {
  const { surface, scenario } = COMBINATIONS[seed % COMBINATIONS.length]
  const round = Math.floor(seed / COMBINATIONS.length)
  return { seed, surface, scenario, fault: faultOf({ surface, scenario, round, seed }) }
}

/** @returns {import('./run.js').RunFault} */
function faultOf({ surface, scenario, round, seed }) {
  const { frames, goAway, flipped } = SURFACES[surface]
  const kind = FAULTS[(round + (spread(seed) % FAULTS.length)) % FAULTS.length]
  if (kind === 'host')
    return scenario.elsewhere ? { kind: 'none', host: HOSTS[spread(seed) % HOSTS.length] } : { kind: 'none' }
  if ((kind === 'goAway' && !goAway) || (kind === 'flipped' && !flipped))
    return { kind: 'cut', after: 1 + (round % frames) }
  const most = /client|old/.test(kind) ? 16 : frames
  return { kind, after: 1 + ((round + spread(seed)) % most), returns: seed % 2 === 0 ? 'now' : 'end' }
}
