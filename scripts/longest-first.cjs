// The order of the long suites where Jest has not timed them: in a new clone it begins with the largest files, and the longest suites may
// be small ones, the last of which would run alone for minutes.
'use strict'

const { default: Sequencer } = require('@jest/test-sequencer')

/** Seconds on a slow machine, roughly, of those that take more than half a minute there. */
const SECONDS = {
  'packed/next.test.mjs': 500,
  'packed/frameworks.test.mjs': 260,
  'packed/recipes.test.mjs': 240,
  'docs/site.long.test.mjs': 135,
  'gate/types.long.test.mjs': 135,
  'packed/next-ai-sdk.test.mjs': 105,
  'packed/examples.test.mjs': 100,
  'packed/mcp-clients.test.mjs': 95,
  'gate/principal-acts.long.test.mjs': 95,
  'gate/reconcile-processes.long.test.mjs': 90,
  'acts/confirmation-histories.test.mjs': 85,
  'bench/run.test.mjs': 85,
  'chaos/voice-killed.test.mjs': 85,
  'fuzz/fuzz.test.mjs': 85,
  'packed/genkit.test.mjs': 80,
  'bench/instructions.test.mjs': 80,
  'packed/livekit.test.mjs': 70,
  'packed/types.test.mjs': 70,
  'packed/platform-packages.test.mjs': 65,
  'packed/adk.test.mjs': 60,
  'chaos/upgrade.test.mjs': 60,
  'packed/mastra.test.mjs': 55,
  'packed/next-development.test.mjs': 55,
  'authoring/differential.long.test.mjs': 50,
  'http/readiness.long.test.mjs': 50,
  'gate/store-refuses.long.test.mjs': 45,
  'cli/init.long.test.mjs': 45,
  'cli/sessions.long.test.mjs': 40,
  'sources/questions-elsewhere.long.test.mjs': 40,
  'authoring/careless-tools.long.test.mjs': 35,
  'mcp/conformance.long.test.mjs': 35,
}
const OTHERS = 10

module.exports = class LongestFirst extends Sequencer {
  /** @param {import('@jest/test-result').Test} test */
  time(test) {
    const name = Object.keys(SECONDS).find(file => test.path.replaceAll('\\', '/').endsWith(`/__test__/${file}`))
    return super.time(test) ?? (name === undefined ? OTHERS : SECONDS[name])
  }
}
