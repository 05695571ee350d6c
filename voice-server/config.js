// The budgets of the built-in modes under the import path of voice servers. The core defines their numbers.
import { builtInModes } from 'toolgate'

/**
 * A mode's policy, with the members of the older layer beside the present ones. A number that the mode does not limit is
 * Infinity there: orchestrators compare with it.
 *
 * @param {Readonly<Required<import('toolgate').ModePolicy>>} mode
 */
const budgetOf = mode =>
  Object.freeze({
    ...mode,
    MAX_RETRIEVAL_CALLS_PER_TURN: mode.retrievalCalls,
    MAX_TOTAL_TOOL_CALLS_PER_TURN: mode.totalCalls,
    MAX_TOTAL_CALLS_PER_TURN: mode.totalCalls,
    MAX_TOP_K: mode.topK ?? Infinity,
    LATENCY_BUDGET_MS: mode.turnLatencyMs ?? Infinity,
    RETRIEVAL_LATENCY_BUDGET_MS: mode.retrievalLatencyMs ?? Infinity,
    HARD_FAIL_AFTER: true,
  })

export const TEXT_BUDGET = budgetOf(builtInModes.text)
export const VOICE_BUDGET = budgetOf(builtInModes.voice)
export const WEBCAM_BUDGET = budgetOf(builtInModes.webcam)
