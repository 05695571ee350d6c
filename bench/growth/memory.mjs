// Memory of sessions and records: resident memory of a fresh process, after a collection.
import { measureFresh } from '../fresh-process.mjs'

/** @typedef {{ detach: number, end: number }} Shares */

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ idleSessionBytes: number, recordBytes: number, givenBack: Shares, takenAgain: Shares }>}
 *   shares of what the sessions took: `givenBack` once all are detached, or have ended; `takenAgain` by as many new ones after that
 */
export async function measureMemory({ isQuick }) {
  const { detach, end, records } = await measureFresh({
    child: 'growth/memory-child.mjs',
    contenders: ['detach', 'end', 'records'],
    args: [isQuick ? 'quick' : 'full'],
    times: isQuick ? 1 : 5,
  })
  return {
    idleSessionBytes: (detach.bytes + end.bytes) / 2,
    recordBytes: records.bytes,
    givenBack: { detach: detach.givenBack, end: end.givenBack },
    takenAgain: { detach: detach.takenAgain, end: end.takenAgain },
  }
}
