// Starts a simulator that ends with its test.

import { startSimulator } from 'toolgate-simulator'

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [scenario] the shipped default without
 * @param {object} [options]
 */
export async function simulate(t, scenario, options = {}) {
  const sim = await startSimulator({ ...(scenario === undefined ? {} : { scenario }), ...options })
  t.after(() => sim.close())
  return sim
}
