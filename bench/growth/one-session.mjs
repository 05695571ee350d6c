// What a call of one session takes as the session grows: by records, by turns, and by open questions.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { hasRedis, startRedis } from '../stores/servers.mjs'
import { compareInTurns, noteCall, policy, succeed, withNotes } from './gate.mjs'

const RECORDS = { few: 100, many: 1900 }
const TURNS = { few: 20, many: 2000 }
const QUESTIONS = { few: 0, many: 20 }
const QUESTION_BYTES = 1_000_000
const SAMPLES = 100
/** Calls of one session that are on their way together while it is filled. */
const TOGETHER = 64

/** @typedef {{ what: string, store: string, counts: { few: number, many: number } } & import('./gate.mjs').Growth} SessionGrowth */

const CURVES = {
  records: {
    what: 'records',
    counts: RECORDS,
    stores: ['memory', 'file', 'redis'],
    fill: fillRecords,
    operate: writes,
  },
  turns: { what: 'turns', counts: TURNS, stores: ['memory', 'file', 'redis'], fill: fillTurns, operate: turns },
  questions: { what: 'open questions of 1 MB', counts: QUESTIONS, stores: ['file'], fill: ask, operate: writes },
}

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ curves: SessionGrowth[], missing: string[] }>}
 */
export async function measureOneSession({ isQuick }) {
  const curves = []
  for (const curve of Object.values(CURVES))
    for (const store of curve.stores)
      if (store !== 'redis' || hasRedis) curves.push(await measureCurve(curve, store, isQuick ? 1 : 5))
  return { curves, missing: hasRedis ? [] : ['`redis-server` is not installed'] }
}

async function measureCurve({ what, counts, fill, operate }, store, rounds) {
  const growth = await withStore(store, choice =>
    withNotes({ store: choice }, registry =>
      compareInTurns({
        rounds,
        samples: SAMPLES,
        open: async (kind, round) => {
          const session = await registry.createSession({ sessionId: `${kind}-${round}`, mode: 'text', policy })
          await fill(session, counts[kind])
          return operate(session)
        },
      }),
    ),
  )
  return { what, store, counts, ...growth }
}

/** @template T @param {string} store @param {(choice: import('../../index.js').StoreChoice) => Promise<T>} run @returns {Promise<T>} */
async function withStore(store, run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-growth-'))
  const server = store === 'redis' ? await startRedis(folder) : null
  const choices = { file: { file: path.join(folder, 'store.sqlite') }, redis: { redis: server?.url } }
  try {
    return await run(choices[store] ?? 'memory')
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fillRecords(session, count) {
  for (let from = 0; from < count; from += TOGETHER) {
    const together = Array.from({ length: Math.min(TOGETHER, count - from) }, (_, n) => noteCall(`filled-${from + n}`))
    await Promise.all(together.map(call => succeed(session, call)))
  }
}

async function fillTurns(session, count) {
  for (let turn = 0; turn < count; turn++) await session.beginTurn()
}

async function ask(session, count) {
  for (let question = 0; question < count; question++) {
    const text = `${question} ${'x'.repeat(QUESTION_BYTES)}`
    const answer = await session.execute({ name: 'long_note', callId: `question-${question}`, args: { text } })
    if (answer.error?.type !== 'CONFIRMATION_REQUIRED')
      throw new Error(`not asked: ${JSON.stringify(answer).slice(0, 300)}`)
  }
  const { length } = await session.listPending()
  if (length !== count) throw new Error(`${length} of ${count} questions are open`)
}

/** A small write. */
function writes(session) {
  return n => succeed(session, noteCall(n))
}

/** A turn with a small write. */
function turns(session) {
  return async n => {
    await session.beginTurn()
    await succeed(session, noteCall(n))
  }
}

/** The ratio of a curve. @param {object} results @param {string} what @param {string} store */
export const sessionGrowth = (results, what, store) =>
  results.growth?.oneSession.curves.find(curve => curve.what === what && curve.store === store)?.ratio
