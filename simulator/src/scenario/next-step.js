// Finds a conversation's position in the scenario, and the next step, from the history alone. Each protocol translates
// its messages into history entries; the rest is protocol-independent.

import { chooseRule, unscriptedStep } from './choose.js'

/**
 * @import { TriggerCircumstances, TriggerPosition } from './choose.js'
 * @import { CompiledRule, CompiledScenario } from './compile.js'
 * @import { ScenarioStep, TemplateView } from './types.js'
 */

/**
 * @typedef {UserEntry | CallsEntry | ResultEntry | { kind: 'other' }} HistoryEntry an entry of a conversation's history
 *
 * @typedef {object} UserEntry
 * @property {'user'} kind
 * @property {string | null} text the user's words; null for speech without a transcript
 * @property {'text' | 'audio'} [source] of the user's words
 * @property {number} [seconds] duration of speech
 *
 * @typedef {object} CallsEntry
 * @property {'calls'} kind
 * @property {HistoryCall[]} calls made together by the model
 *
 * @typedef {object} HistoryCall
 * @property {string} id
 * @property {string} name
 *
 * @typedef {object} ResultEntry
 * @property {'result'} kind
 * @property {string} id of the call that the result belongs to
 * @property {unknown} value
 *
 * @typedef {object} ConversationPosition
 * @property {number} turn number of user utterances so far (consecutive user entries are one)
 * @property {UserEntry | undefined} utterance the last one
 * @property {string[]} utterances all that have a text
 * @property {number} unheard number of utterances without a transcript
 * @property {ResultRound | undefined} before the last group of calls before the utterance
 * @property {ResultRound[]} rounds one for each group of calls since then: the answered
 *   tools and their results, in the order of the calls
 *
 * @typedef {{ tools: string[], results: unknown[] }} ResultRound
 *
 * @typedef {Map<string, { at: number, value: unknown }[]>} ResultsById a list per id, because a later round may use an
 *   id again
 */

/**
 * @param {HistoryEntry[]} entries
 * @returns {ConversationPosition}
 */
export function positionOf(entries) {
  const lastUser = entries.findLastIndex(({ kind }) => kind === 'user')
  const since = entries.slice(lastUser + 1)
  const results = resultsById(since)
  const calledBefore = entries.findLastIndex(({ kind }, at) => kind === 'calls' && at < lastUser)
  return {
    utterances: entries.flatMap(entry => (entry.kind === 'user' && entry.text !== null ? [entry.text] : [])),
    unheard: entries.filter(entry => entry.kind === 'user' && entry.text === null).length,
    before: roundAt(entries, calledBefore),
    turn: entries.filter(({ kind }, at) => kind === 'user' && entries[at - 1]?.kind !== 'user').length,
    utterance: /** @type {UserEntry | undefined} */ (entries[lastUser]),
    rounds: since.flatMap((entry, at) => (entry.kind === 'calls' ? [roundOf(entry.calls, at, results)] : [])),
  }
}

/** @param {HistoryEntry[]} entries @param {number} at index of calls, or -1 @returns {ResultRound | undefined} */
function roundAt(entries, at) {
  const entry = entries[at]
  return entry?.kind === 'calls' ? roundOf(entry.calls, at, resultsById(entries)) : undefined
}

/** @param {HistoryEntry[]} entries */
function resultsById(entries) {
  /** @type {ResultsById} */
  const results = new Map()
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== 'result') continue
    results.set(entry.id, [...(results.get(entry.id) ?? []), { at, value: entry.value }])
  }
  return results
}

/** @param {HistoryCall[]} calls @param {number} calledAt @param {ResultsById} results @returns {ResultRound} */
function roundOf(calls, calledAt, results) {
  const answers = calls.flatMap(({ id, name }) => {
    const result = (results.get(id) ?? []).find(({ at }) => at > calledAt)
    return result === undefined ? [] : [{ name, value: result.value }]
  })
  return { tools: answers.map(({ name }) => name), results: answers.map(({ value }) => value) }
}

/**
 * @param {CompiledScenario} scenario
 * @param {TriggerCircumstances} circumstances
 * @param {ConversationPosition} position
 * @returns {{ step: ScenarioStep, view: TemplateView }} the next step and the values for its templates
 */
export function nextStep(scenario, circumstances, { turn, utterance, utterances, unheard, before, rounds }) {
  /** @type {TriggerCircumstances & TriggerPosition} */
  const trigger = { source: utterance?.source ?? 'text', ...circumstances, turn }
  const opening = openingRuleOf(scenario, trigger, utterance)
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
  const step = findStep(scenario, trigger, opening?.rule ?? null, rounds)
  if (step !== undefined) return { step, view }
  if (rounds.length > 0 || utterance?.text !== null)
    return { step: unscriptedStep(scenario, { ...circumstances, utterances, before, rounds }), view }
  return {
    // Said once: an open microphone would repeat it for ever.
    step: { emit: unheard > 1 ? [] : [{ say: scenario.audio.untranscribed }] },
    view: { ...view, audio: { seconds: utterance.seconds } },
  }
}

/**
 * The rule that begins the turn. Before the user's first utterance a connection begins with its setup rule.
 *
 * @param {CompiledScenario} scenario
 * @param {TriggerCircumstances & TriggerPosition} trigger
 * @param {UserEntry | undefined} utterance
 */
function openingRuleOf(scenario, trigger, utterance) {
  if (utterance?.text === null) return null
  const setup =
    utterance === undefined && trigger.connection !== undefined
      ? chooseRule(scenario, { ...trigger, kind: 'setup' })
      : null
  return (
    setup ??
    chooseRule(scenario, {
      ...trigger,
      kind: 'user',
      text: utterance?.text ?? '',
    })
  )
}

/**
 * Replays the rounds: if a rule has no further step, a rule for the results takes over.
 *
 * @param {CompiledScenario} scenario
 * @param {TriggerCircumstances & TriggerPosition} trigger
 * @param {CompiledRule | null} opening
 * @param {ResultRound[]} rounds
 */
function findStep(scenario, trigger, opening, rounds) {
  let rule = opening
  let at = 0
  for (const { tools } of rounds) {
    at += 1
    if (rule?.steps[at] !== undefined) continue
    rule = chooseRule(scenario, { ...trigger, kind: 'results', tools })?.rule ?? null
    at = 0
  }
  return rule?.steps[at]
}
