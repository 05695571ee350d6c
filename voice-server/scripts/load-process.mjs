// A child process of the load test: the simulated model, or the server, which measures itself. Ends with its parent.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

const SCENARIO = {
  name: 'load',
  // An open microphone that sends silence must not count as an utterance; a load user sends less than this.
  settings: { label: '', listenMs: 60_000 },
  rules: [
    {
      when: { user: { regex: '^look (?<number>\\w+)' } },
      steps: [
        { emit: [{ call: { name: 'kb_search', args: { query: 'rust audio {{match.number}}' } } }] },
        { emit: [{ say: '{{match.number}} {{result.ok}}' }] },
      ],
    },
  ],
}

async function startSimulated() {
  const { startSimulator } = await import('toolgate-simulator')
  const { url } = await startSimulator({ scenario: SCENARIO })
  return { url }
}

let executed = 0

/** @param {{ provider: 'gemini' | 'openai', simulatorUrl: string }} settings */
async function startServer({ provider, simulatorUrl }) {
  const [{ createVoiceServer }, { createRegistry }] = await Promise.all([import('../server.js'), import('toolgate')])
  const registry = createRegistry({ audit: line => (executed += line.includes('"event":"tool_execution"') ? 1 : 0) })
  const baseUrl = provider === 'openai' ? `${simulatorUrl}/v1` : simulatorUrl
  const logger = {
    info: () => {},
    warn: (/** @type {unknown[]} */ ...line) => console.error(...line),
    error: (/** @type {unknown[]} */ ...line) => console.error(...line),
  }
  const { url } = await createVoiceServer({ registry, provider, [provider]: { apiKey: 'any', baseUrl }, logger })
  return { url }
}

const delay = monitorEventLoopDelay({ resolution: 10 })
/** When the measurement began, and the CPU time until then. */
let begun = { cpu: process.cpuUsage(), at: performance.now() }

/** @param {string} what */
function measure(what) {
  const standing = { rss: process.memoryUsage.rss(), executed }
  if (what === 'begin') {
    delay.reset()
    delay.enable()
    begun = { cpu: process.cpuUsage(), at: performance.now() }
    return standing
  }
  delay.disable()
  const { user, system } = process.cpuUsage(begun.cpu)
  const ms = (/** @type {number} */ nanoseconds) => Math.round(nanoseconds / 1e5) / 10
  return {
    ...standing,
    eventLoopDelayMs: { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) },
    cpuShare: Math.round((user + system) / 10 / (performance.now() - begun.at)) / 100,
  }
}

const start = process.argv[2] === 'simulator' ? startSimulated : startServer
process.on('message', async ({ start: settings, measure: what }) => {
  process.send?.(what === undefined ? await start(settings) : measure(what))
})
process.on('disconnect', () => process.exit())
