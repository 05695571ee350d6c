// Judges what really happened in a run: effects are counted where they happen, words and results where they arrive.

/**
 * @typedef {object} Subject what the run was about
 * @property {string} tool
 * @property {string} key of what the user wanted: an argument of the call, and in `mark-<key>` of its result
 * @property {boolean} [mayFail] the user may not want it in the end
 * @property {boolean} [isSilent] the model need not speak about it
 * @property {boolean} [leaves] the client never returns
 * @property {number[]} open connections of the provider that are open at the end
 * @property {string[]} errors of the server's log
 * @property {{ kind: string }[]} anomalies what the provider would not accept
 * @property {string[]} unmet what the user waited for and did not get
 *
 * @typedef {{ kind: string } & Record<string, any>} Entry
 * @typedef {{ fault: string, why: string }} Finding
 */

/** Tools that change something; those that ask before. */
const WRITES = ['note_save', 'job_run', 'cue_set']
const CONFIRMED = ['note_save']

/**
 * @param {Entry[]} entries in order
 * @param {Subject} subject
 * @returns {Finding[]} none if all is well
 */
export function judge(entries, subject) {
  const facts = factsOf(entries, subject)
  return [ranTwice, ranWithoutYes, answeredWithoutRun, toldTwice, notTold, shownTwice, unanswered, broken].flatMap(
    rule => rule(facts, subject).map(why => ({ fault: rule.name, why })),
  )
}

/** @param {Entry[]} entries @param {Subject} subject */
function factsOf(entries, { key, tool }) {
  const of = kind => entries.filter(entry => entry.kind === kind)
  const calls = of('call').filter(({ name, args }) => name === tool && Object.values(args ?? {}).includes(key))
  const ids = new Set(calls.map(({ id }) => id))
  const isMarked = text => text.split(`mark-${key}`).length - 1
  const shown = of('shown')
  return {
    entries,
    calls,
    ids,
    runs: of('run').filter(run => run.tool === tool && run.key === key),
    ends: of('ended').filter(end => end.tool === tool && end.key === key && end.ok),
    yeses: of('yes').filter(yes => yes.key === key),
    allCalls: of('call'),
    answers: of('answer'),
    cancelled: of('callCancelled'),
    results: shown.filter(({ type, id }) => type === 'toolResult' && ids.has(id)),
    said: isMarked(textOf(shown.filter(isOutput))),
    saidWhole: isMarked(textOf(shown.filter((frame, at) => isOutput(frame) && !isCutShort(shown.slice(at))))),
    modelSaid: isMarked(textOf(of('modelSaid'))),
    left: of('leftover').filter(({ text }) => text.includes(`mark-${key}`)),
    wasIncomplete: shown.some(({ type, reason }) => type === 'answerIncomplete' && reason === 'cut'),
    wasCut: of('pageClosed').some(({ code }) => code === 1006) || of('pageOpened').length > 1,
  }
}

const isOutput = ({ type, direction }) => type === 'transcript' && direction === 'output'

/**
 * Whether the connection of the provider ended before the words did: they were read on the page, and no sound of them was heard, which
 * an `answerIncomplete` would say.
 * @param {Entry[]} shown from the words on
 */
function isCutShort([words, ...later]) {
  const isEnd = frame => isOutput(frame) && frame.utterance === words.utterance && frame.final
  const isHeard = frame => frame.type === 'answerIncomplete'
  const next = later.find(frame => isEnd(frame) || isHeard(frame) || frame.provider === 'reconnected')
  return next?.provider === 'reconnected'
}

const textOf = pieces => pieces.map(({ text }) => text).join('')
const isFinal = response => response?.ok === true && response.data?.status !== 'running'

function ranTwice({ runs }, { tool }) {
  return WRITES.includes(tool) && runs.length > 1 ? [`${runs.length} runs of one effect`] : []
}

/** A yes counts once its question was shown; a spoken one, once the question was heard. */
function ranWithoutYes({ runs, yeses, entries }, { tool, key }) {
  if (!CONFIRMED.includes(tool)) return []
  return runs.flatMap(run => {
    const before = entries.slice(0, entries.indexOf(run))
    const isHeard = yes => {
      const earlier = before.slice(0, before.indexOf(yes)).filter(({ kind }) => kind === 'shown')
      const words = textOf(earlier.filter(({ direction }) => direction === 'output'))
      if (yes.way === 'speech') return words.includes(`${key}. Shall I do that?`)
      return earlier.some(({ type, request }) => type === 'confirmation' && request.args.text === key)
    }
    return yeses.some(yes => before.includes(yes) && isHeard(yes))
      ? []
      : ['a run before a yes to the question that was asked']
  })
}

function answeredWithoutRun({ answers, ids, ends, results }, { tool }) {
  if (!WRITES.includes(tool) || ends.length > 0) return []
  const claimed = answers
    .filter(({ id, response }) => ids.has(id) && isFinal(response))
    .map(() => 'answered to the model')
  return [...claimed, ...results.filter(({ ok, pending }) => ok && !pending).map(() => 'shown to the client')]
}

/** The words of one result are said once for each call that the model made, and again if they were cut short. */
function toldTwice({ saidWhole, ids }) {
  return saidWhole > Math.max(1, ids.size) ? [`said ${saidWhole} times for ${ids.size} calls`] : []
}

function notTold({ ends, said, modelSaid, left, results, wasCut, wasIncomplete }, { isSilent, leaves, mayFail }) {
  if (mayFail) return []
  if (ends.length === 0) return ['it never came to an end']
  if (leaves) return left.length > 0 ? [] : ['the outcome is not there for the text page']
  const isShown = results.some(({ ok, pending }) => ok && !pending)
  // Words may be on their way to a page when its connection is cut.
  const isSaid = said > 0 || (wasCut && modelSaid > 0)
  if (isSilent) return isShown || isSaid ? [] : ['neither said nor shown']
  // What was cut when the user had heard its first sound is not said twice.
  return isSaid || (isShown && (wasIncomplete || wasCut))
    ? []
    : [isShown ? 'shown, but not said' : 'neither said nor shown']
}

function shownTwice({ results, calls }) {
  const good = results.filter(({ ok, pending }) => ok && !pending)
  const isSame = (one, other) => one.page === other.page && one.id === other.id
  const firsts = good.filter((frame, at) => good.findIndex(other => isSame(frame, other)) === at)
  return firsts.flatMap(first => {
    const times = good.filter(frame => isSame(frame, first)).length
    const asked = calls.filter(({ id }) => id === first.id).length
    return times > asked ? [`${times} results of ${first.id} on page ${first.page}`] : []
  })
}

/** On a connection that lives, each call has its answer at the end. */
function unanswered({ allCalls, answers, cancelled }, { open }) {
  const has = (list, { connection, id }) => list.some(one => one.connection === connection && one.id === id)
  return allCalls
    .filter(call => open.includes(call.connection) && !has(answers, call) && !has(cancelled, call))
    .map(({ name, id, connection }) => `${name} ${id} on connection ${connection}`)
}

function broken({ entries }, { errors, anomalies, unmet }) {
  const internal = entries.filter(({ kind, type, code }) => kind === 'shown' && type === 'error' && code === 'internal')
  return [
    ...errors,
    ...internal.map(() => 'the client got an internal error'),
    ...anomalies.map(({ kind, protocol, name, id }) => `${protocol}: ${kind} ${name} ${id}`),
    ...unmet.map(what => `the user waited in vain: ${what}`),
  ]
}
