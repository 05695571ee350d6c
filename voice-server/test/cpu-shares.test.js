// A CPU profile added up by who the code belongs to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesOf } from '../scripts/cpu-shares.mjs'

/** A profile in which each of these functions, the callers first, took as many microseconds. */
function profileOf(calls) {
  const nodes = calls.map(({ functionName = 'run', url = '', callee }, place) => ({
    id: place,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
    children: callee === undefined ? [] : [callee],
  }))
  return {
    nodes,
    startTime: 0,
    endTime: 0,
    samples: calls.map((_, place) => place),
    timeDeltas: calls.map(({ time }) => time),
  }
}

test('time counts for the part whose code runs, of native functions for their caller', () => {
  const shares = sharesOf(
    profileOf([
      { url: 'file:///app/js/session.js', time: 10, callee: 1 },
      { functionName: 'execute', time: 20 },
      { url: 'node:internal/stream_base_commons', time: 10, callee: 3 },
      { functionName: 'writev', time: 20 },
      { url: 'file:///app/voice-server/src/connection/voice-call.js', time: 40, callee: 5 },
      { functionName: 'jsonParse', url: 'file:///app/voice-server/scripts/cpu-shares.mjs', time: 50 },
      { url: 'file:///app/tools/kb_search/handler.js', time: 60 },
      { url: 'file:///app/node_modules/@orama/orama/dist/index.js', time: 10 },
      { url: 'file:///app/node_modules/other/js/index.js', time: 30 },
      { functionName: '(garbage collector)', time: 50 },
      { functionName: '(idle)', time: 700 },
    ]),
  )
  assert.deepEqual(shares, {
    gate: 0.03,
    tools: 0.07,
    json: 0.05,
    sockets: 0.03,
    voice: 0.04,
    collector: 0.05,
    node: 0.03,
    idle: 0.7,
  })
})
