'use strict'
// Reads events of the OpenAI Realtime API with the core, and also the calls of a completed response whose
// `response.output_item.done` did not come: its `response.done` lists them. The core returns each call once.
const { listOf, recordOf, textOf } = require('./frame-reading.js')

/**
 * @typedef {import('./wire-transport.js').FrameResult} FrameResult
 * @typedef {{ read(frame: string | Buffer): string | null }} FrameReader
 */

/** In the text of every `response.done`. */
const RESPONSE_DONE = 'response.done'

/**
 * @param {FrameReader} core
 * @returns {FrameReader}
 */
function realtimeReader(core) {
  return {
    read(frame) {
      const items = frame.includes(RESPONSE_DONE) ? finishedItems(frame) : []
      return items.length === 0 ? core.read(frame) : readAll(core, [...items, frame])
    },
  }
}

/**
 * The `response.output_item.done` events of a completed response's calls. A call without a status of its own has that of
 * its response.
 * @param {string | Buffer} frame
 * @returns {string[]}
 */
function finishedItems(frame) {
  const { type, response } = parsed(frame)
  const { id, status, output } = recordOf(response)
  if (type !== RESPONSE_DONE || status !== 'completed') return []
  return listOf(output)
    .filter(item => recordOf(item).type === 'function_call')
    .map(item =>
      JSON.stringify({
        type: 'response.output_item.done',
        response_id: textOf(id) ?? undefined,
        item: { status, ...recordOf(item) },
      }),
    )
}

/** @param {string | Buffer} frame untrusted */
function parsed(frame) {
  try {
    return recordOf(JSON.parse(String(frame)))
  } catch {
    return {}
  }
}

/** @param {FrameReader} core @param {(string | Buffer)[]} frames */
function readAll(core, frames) {
  /** @type {FrameResult[]} */
  const results = frames.map(frame => JSON.parse(core.read(frame) ?? '{}'))
  return JSON.stringify({
    calls: results.flatMap(({ calls = [] }) => calls),
    cancelled: results.flatMap(({ cancelled = [] }) => cancelled),
    problems: results.flatMap(({ problems = [] }) => problems),
    asksModel: results.some(({ asksModel }) => asksModel === true),
  })
}

module.exports = { realtimeReader }
