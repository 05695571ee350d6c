// Scenarios under faults, judged by what really happened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from './scenarios/plans.js'
import { run } from './scenarios/run.js'

const { env } = process
const [FIRST, COUNT] = env.TOOLGATE_SCENARIO
  ? [Number(env.TOOLGATE_SCENARIO), 1]
  : [0, Number(env.TOOLGATE_SCENARIOS ?? 100)]
const AT_ONCE = Number(env.TOOLGATE_SCENARIOS_AT_ONCE ?? 12)

test(`${COUNT} scenarios under faults`, { timeout: 600_000 + COUNT * 5000 }, async () => {
  const seeds = Array.from({ length: COUNT }, (_, at) => FIRST + at)
  const failures = []
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const started = performance.now()
      const { findings, plan, history } = await run(planOf(seed))
      const took = Math.round(performance.now() - started)
      if (env.TOOLGATE_SCENARIO_LOG)
        console.log(
          seed,
          took,
          plan.surface,
          plan.scenario.name,
          JSON.stringify(plan.fault),
          findings.map(({ fault: f, why }) => `${f}: ${why}`).join(' | '),
        )
      if (findings.length > 0) failures.push(describe(plan, findings))
      if (COUNT === 1) console.log(history.entries.map(e => JSON.stringify(e).slice(0, 400)).join('\n'))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  assert.equal(failures.length, 0, `\n${failures.join('\n')}\n`)
})

function describe({ seed, surface, scenario, fault }, findings) {
  const again = `TOOLGATE_SCENARIO=${seed} node --test test/scenarios.test.js`
  const what = findings.map(({ fault: name, why }) => `  ${name}: ${why}`).join('\n')
  return `seed ${seed}: ${surface}, ${scenario.name}, ${JSON.stringify(fault)}; again: ${again}\n${what}`
}
