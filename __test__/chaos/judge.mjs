// What must hold after every trouble, judged by the effects that the handlers wrote themselves.

/**
 * Throws if a write took effect twice, if a reported write has no effect, or if a caller has two final answers.
 *
 * @param {object} facts
 * @param {string[]} facts.ids of the writes
 * @param {object[]} facts.workers the processes that called them
 * @param {Map<string, number>} facts.paid the number of effects of each id
 * @param {Record<string, number>} facts.seen counts the answers by kind
 * @param {boolean} [facts.isRefusable] a TRANSIENT answer is a final one: the callers do not repeat it
 * @param {boolean} [facts.isForgettable] a process may call so late that the session has no room for the answer any more, and
 *   only its outcome is left
 */
export function judge({ ids, workers, paid, seen, isRefusable = false, isForgettable = false }) {
  for (const id of ids) {
    const answers = workers.map(worker => worker.answers.filter(answer => answer.id === id))
    const fail = what => {
      throw new Error(`${what}: ${JSON.stringify({ id, paid: paid.get(id), answers })}`)
    }
    if ((paid.get(id) ?? 0) > 1) fail('the write took effect twice')
    const final = answers.map(list => list.filter(({ again }) => !again))
    if (final.some(list => list.length > 1)) fail('a caller got two answers')
    const good = answers.flat().filter(({ ok }) => ok)
    if (good.length > 0 && paid.get(id) !== 1) fail('the write was reported and has no effect')
    if (new Set(good.map(({ data }) => data.by)).size > 1) fail('two processes report that they did it')
    for (const answer of answers.flat()) {
      const kind = kindOf(answer, isRefusable)
      if (kind === null || (kind === 'forgotten' && !isForgettable)) fail('an unexpected answer')
      if (kind === 'forgotten' && paid.get(id) !== 1) fail('the write is remembered and has no effect')
      count(seen, kind)
      if (answer.warnings?.includes('unrecorded')) count(seen, 'unrecorded')
    }
  }
}

/** Throws if the process did not give exactly one final answer for each id, in order. */
export function judgeComplete(worker, ids) {
  const answered = worker.answers.filter(({ again }) => !again).map(({ id }) => id)
  if (JSON.stringify(answered) !== JSON.stringify(ids))
    throw new Error(`answers of ${answered.length} calls for ${ids.length} calls: ${worker.stderr}`)
}

function kindOf({ ok, replayed, again, error, outcome }, isRefusable) {
  if (ok) return replayed ? 'replayed' : 'ok'
  if (again || (isRefusable && error === 'TRANSIENT')) return 'transient'
  if (error !== 'CONFLICT') return null
  return { unknown: 'unknown', committed: 'forgotten' }[outcome] ?? null
}

const count = (seen, kind) => {
  seen[kind] = (seen[kind] ?? 0) + 1
}
