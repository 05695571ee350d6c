// The order of the long suites where Jest has not timed them: in a new clone it begins with the largest files, and the longest suites may
// be small ones, the last of which would run alone for minutes.
'use strict'

const { default: Sequencer } = require('@jest/test-sequencer')

/** Seconds, roughly, of those that take more than half a minute. */
const SECONDS = {
  'packed/next.test.mjs': 300,
  'packed/recipes.test.mjs': 200,
  'packed/frameworks.test.mjs': 150,
  'packed/mastra.test.mjs': 95,
  'gate/types.long.test.mjs': 135,
  'acts/confirmation-histories.test.mjs': 110,
  'packed/genkit.test.mjs': 100,
  'packed/adk.test.mjs': 100,
  'packed/livekit.test.mjs': 100,
  'chaos/voice-killed.test.mjs': 65,
  'fuzz/fuzz.test.mjs': 70,
  'packed/next-ai-sdk.test.mjs': 80,
  'packed/next-development.test.mjs': 80,
  'chaos/upgrade.test.mjs': 60,
  'bench/run.test.mjs': 60,
  'gate/soak.long.test.mjs': 60,
  'authoring/differential.long.test.mjs': 50,
  'authoring/careless-tools.long.test.mjs': 40,
  'packed/types.test.mjs': 45,
}
const OTHERS = 10

module.exports = class LongestFirst extends Sequencer {
  /** @param {import('@jest/test-result').Test} test */
  time(test) {
    const name = Object.keys(SECONDS).find(file => test.path.replaceAll('\\', '/').endsWith(`/__test__/${file}`))
    return super.time(test) ?? (name === undefined ? OTHERS : SECONDS[name])
  }
}
