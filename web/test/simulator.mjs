// The provider simulator of this repository, ended with its test.
import { startSimulator } from '../../simulator/src/index.js'

/** @param {object} [scenario] the shipped one by default */
export async function simulate(t, scenario) {
  const simulator = await startSimulator(scenario ? { scenario } : {})
  t.after(() => simulator.close())
  return { simulator, env: { TOOLGATE_OPENAI_BASE_URL: `${simulator.url}/v1` } }
}

/** A scenario that calls one tool at any utterance and then reports the result. */
export function callOnce(call) {
  const outcome = [
    { if: { path: 'result.ok', equals: true }, emit: [{ say: 'It worked.' }] },
    { emit: [{ say: 'It failed: {{result.error.type}}' }] },
  ]
  return { settings: { label: '' }, rules: [{ when: 'always', steps: [{ emit: [{ call }] }, { choose: outcome }] }] }
}
