'use strict'
const { OpenAITransport } = require('./gate-view.cjs')

/** What one OpenAI transport gives for these events: its calls, and each problem that it names. */
function readEvents(events) {
  const transport = new OpenAITransport()
  const problems = []
  const calls = events.flatMap(event => {
    const given = transport.receiveToolCalls(event)
    if (transport.problem !== null) problems.push(transport.problem)
    return given
  })
  return { transport, calls, problems }
}

module.exports = { readEvents }
