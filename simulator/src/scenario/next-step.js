// Where a conversation stands, and which step comes next, read from its history alone. Each protocol translates its
// messages into entries; what follows from them is the same for all.

import { chooseRule, exhaustedStep, fallbackStep } from './choose.js'

/**
 * @typedef {object} Entry of a history, in its order
 * @property {'user' | 'calls' | 'result' | 'other'} kind
 * @property {string | null} [text] what the user said; null for speech that no transcript exists for
 * @property {'text' | 'audio'} [source] of it
 * @property {number} [seconds] its length, where it was speech
 * @property {{ id: string, name: string }[]} [calls] made by the model in one go
 * @property {string} [id] of the call that a result belongs to
 * @property {unknown} [value] of the result
 *
 * @typedef {object} Standing
 * @property {number} turn number of user utterances so far (entries of the user that follow each other are one)
 * @property {Entry | undefined} utterance the last one
 * @property {{ tools: string[], results: unknown[] }[]} rounds for each time that tools were called since: what has
 *   answered, in the order of the calls
 */

/**
 * @param {Entry[]} entries
 * @returns {Standing}
 */
export function standingOf(entries) {
  const lastUser = entries.findLastIndex(({ kind }) => kind === 'user')
  const since = entries.slice(lastUser + 1)
  const results = resultsById(since)
  return {
    turn: entries.filter(({ kind }, at) => kind === 'user' && entries[at - 1]?.kind !== 'user').length,
    utterance: entries[lastUser],
    rounds: since.flatMap(({ kind, calls }, at) => (kind === 'calls' ? [roundOf(calls, at, results)] : [])),
  }
}

/** @returns {Map<string, { at: number, value: unknown }[]>} an id may be used again in a later round */
function resultsById(entries) {
  const results = new Map()
  for (const [at, { kind, id, value }] of entries.entries()) {
    if (kind === 'result') results.set(id, [...(results.get(id) ?? []), { at, value }])
  }
  return results
}

function roundOf(calls, calledAt, results) {
  const answers = calls.flatMap(({ id, name }) => {
    const result = (results.get(id) ?? []).find(({ at }) => at > calledAt)
    return result === undefined ? [] : [{ name, value: result.value }]
  })
  return { tools: answers.map(({ name }) => name), results: answers.map(({ value }) => value) }
}

/**
 * @param {import('./compile.js').CompiledScenario} scenario
 * @param {object} circumstances protocol, declared and, on a connection, its number
 * @param {Standing} standing
 * @returns {{ step: object, view: object }} the step to play, and what its templates see
 */
export function nextStep(scenario, circumstances, { turn, utterance, rounds }) {
  const occasion = { source: 'text', ...circumstances, turn }
  const opening = openingOf(scenario, occasion, utterance)
  const results = rounds.at(-1)?.results ?? []
  const { connection } = circumstances
  const view = {
    turn,
    connection,
    scenario: scenario.name,
    user: utterance?.text ?? '',
    match: opening?.match ?? {},
    results,
    result: results.at(-1),
  }
  const step = walk(scenario, occasion, opening?.rule ?? null, rounds)
  if (step !== undefined) return { step, view }
  if (rounds.length > 0) return { step: exhaustedStep(scenario), view }
  if (utterance?.text !== null) return { step: fallbackStep(scenario), view }
  return {
    step: { emit: [{ say: scenario.audio.untranscribed }] },
    view: { ...view, audio: { seconds: utterance.seconds } },
  }
}

/** A connection on which the user has said nothing yet begins with the rule for its setup. */
function openingOf(scenario, occasion, utterance) {
  if (utterance?.text === null) return null
  const setup =
    utterance === undefined && occasion.connection !== undefined
      ? chooseRule(scenario, { ...occasion, kind: 'setup' })
      : null
  return (
    setup ??
    chooseRule(scenario, {
      ...occasion,
      source: utterance?.source ?? 'text',
      kind: 'user',
      text: utterance?.text ?? '',
    })
  )
}

/** Goes through the rounds as they were played: a rule that has no step left gives way to one for the results. */
function walk(scenario, occasion, opening, rounds) {
  let rule = opening
  let at = 0
  for (const { tools } of rounds) {
    at += 1
    if (rule?.steps[at] !== undefined) continue
    rule = chooseRule(scenario, { ...occasion, kind: 'results', tools })?.rule ?? null
    at = 0
  }
  return rule?.steps[at]
}
