// One case from its contenders' rounds to a row of figures.
import { contenders } from './contenders.mjs'
import { measure } from './measure.mjs'
import { median, pairedDifference, pairedRatio, spread } from './statistics.mjs'

/** Those that do a gateway's work in plain JavaScript. */
const PLAIN = ['naive', 'js']

/** @returns {Promise<Record<string, { us: number[], busyUs: number[] }>>} the rounds of a case, by contender */
export async function roundsOf(testCase, toolSet, { budgetMs, more = async () => [] }) {
  const setting = { toolSet, handlers: testCase.handlers, objectArgs: testCase.objectArgs }
  const opened = []
  for (const name of testCase.contenders) opened.push(await contenders[name](setting))
  opened.push(...(await more(setting)))
  const rounds = await measure(testCase, opened, { budgetMs })
  for (const contender of opened) await contender.close()
  return rounds
}

/** @returns the figures of a case; ratios are Toolgate's time over the other's, paired by round */
export function rowOf({ name, group, title }, rounds) {
  const plain = PLAIN.filter(other => rounds[other])
  const ratios = field =>
    Object.fromEntries(plain.map(other => [other, pairedRatio(rounds.toolgate[field], rounds[other][field])]))
  const medians = field =>
    Object.fromEntries(Object.entries(rounds).map(([contender, measured]) => [contender, median(measured[field])]))
  return {
    name,
    group,
    title,
    rounds: rounds.toolgate.us.length,
    us: medians('us'),
    busyUs: medians('busyUs'),
    ratio: ratios('us'),
    busyRatio: ratios('busyUs'),
    ...(rounds.floor ? { overhead: overheadOf(plain, rounds) } : {}),
  }
}

/** What each gateway adds to the floor. */
function overheadOf(plain, rounds) {
  const added = Object.fromEntries(
    [...plain, 'toolgate'].map(name => [name, pairedDifference(rounds[name].us, rounds.floor.us)]),
  )
  return {
    us: Object.fromEntries(Object.entries(added).map(([name, us]) => [name, spread(us)])),
    ratio: Object.fromEntries(plain.map(other => [other, pairedRatio(added.toolgate, added[other])])),
  }
}
