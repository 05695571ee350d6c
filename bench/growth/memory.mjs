// Memory of sessions and records: resident memory of a fresh process, after a collection.
import { measureFresh } from '../fresh-process.mjs'

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ idleSessionBytes: number, recordBytes: number, givenBack: { detach: number, end: number } }>} shares
 *   of what the sessions took, once all are detached, or have ended
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
  }
}
