// What each conversation has: the providers' simulator, a session over real tools, and the packages of one major.
import assert from 'node:assert/strict'

import { makeCertificate } from '../../simulator/test/certificate.mjs'
import { startSimulator } from '../../simulator/src/index.js'
import { openNotes } from '../adapters/note-tools.mjs'
import { shapesIn } from './shapes.mjs'

const call = (name, args) => ({ emit: [{ call: { name, args } }] })
const say = text => ({ emit: [{ say: text }] })

/** Asked for the roof, the model calls `find_note` and says what it got; asked to send, it calls `send_note`. */
const SCENARIO = {
  settings: { label: '', pieceChars: 5, pieceDelayMs: 0 },
  rules: [
    {
      when: { user: { contains: 'roof' } },
      steps: [
        call('find_note', { query: 'roof "é"' }),
        say('Found {{result.data.echo.query}}, {{result.data.echo.limit}} at most.'),
      ],
    },
    {
      when: { user: { contains: 'send' } },
      steps: [call('send_note', { to: 'Ada' }), say('Sent to {{result.data.echo.to|nobody}}.')],
    },
    {
      when: { user: { contains: 'wait' } },
      steps: [call('wait_for_note', {}), say('It is here: {{result.data.arrived}}.')],
    },
    { when: { user: { contains: 'nonsense' } }, steps: [call('no_such_tool', {}), say('So be it.')] },
  ],
}

/** What the model says once `find_note` has answered it. */
export const FOUND = 'Found roof "é", 2 at most.'

/** @param {(name: string) => Promise<any>} load the packages of one major @param {number} aiMajor the major of `ai` */
export async function openStage(load, aiMajor) {
  const notes = await openNotes({
    wait_for_note: ({ progress }) => {
      progress({ waited: 1 })
      return { ok: true, data: { arrived: true } }
    },
  })
  const closing = [() => notes.close()]
  const stage = {
    ...notes,
    load,
    aiMajor,
    simulate: async options => {
      const sim = await startSimulator({ scenario: SCENARIO, ...options })
      closing.unshift(() => sim.close())
      return sim
    },
    certificate: makeCertificate,
    after: close => closing.unshift(close),
    /** The tools' handlers ran for exactly these calls, and the provider found nothing wrong with the answers. */
    ranOnce: (sim, ...expected) => {
      assert.deepEqual(
        notes.ran.map(({ toolId }) => toolId),
        expected,
      )
      assert.deepEqual(sim.anomalies, [])
    },
    /** Fails where a frame is not of a shape that the packages were recorded with; skipped without the corpus. */
    looksRecorded: (what, frame) => {
      const recorded = shapesIn(what)
      if (recorded.length > 0)
        assert.ok(
          recorded.some(fits => fits(frame)),
          `${what} was never recorded like this: ${JSON.stringify(frame)}`,
        )
    },
    close: async () => {
      for (const close of closing) await close()
    },
  }
  return stage
}
