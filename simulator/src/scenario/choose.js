// Which rule speaks, and which branch of its step: plain functions of the scenario and of what happened.

import { conditionsOf } from './compile.js'
import { lookUp } from './template.js'

/**
 * @typedef {object} Occasion what happened
 * @property {'user' | 'results' | 'setup'} kind
 * @property {string} protocol one of PROTOCOLS
 * @property {number} turn how many utterances the user has made, this one included
 * @property {string[]} declared names of the tools that the client declared and allows
 * @property {string} [text] the utterance (kind `user`)
 * @property {'text' | 'audio'} [source] how it came (kind `user`)
 * @property {string[]} [tools] names of the tools that answered (kind `results`)
 * @property {number} [connection] 1-based number of the connection, where the protocol has one
 * @property {boolean} [resumed] whether the Live session was resumed by a handle
 */

/**
 * The first rule that fits.
 *
 * @param {import('./compile.js').CompiledScenario} scenario
 * @param {Occasion} occasion
 * @returns {{ rule: import('./compile.js').CompiledRule, match: Record<string, string> } | null}
 */
export function chooseRule(scenario, occasion) {
  for (const rule of scenario.rules) {
    if (kindOf(rule.when) !== occasion.kind || !circumstancesFit(rule.when, occasion)) continue
    const match = occasion.kind === 'user' ? rule.matches(occasion.text) : {}
    if (match !== null) return { rule, match }
  }
  return null
}

function kindOf(when) {
  if (when.event !== undefined) return when.event
  return when.results === undefined ? 'user' : 'results'
}

function circumstancesFit(when, occasion) {
  const equal = ['source', 'turn', 'connection', 'resumed'].every(
    name => when[name] === undefined || when[name] === occasion[name],
  )
  const spoken = when.protocol === undefined || [when.protocol].flat().includes(occasion.protocol)
  const declared = (when.declared ?? []).every(tool => occasion.declared.includes(tool))
  const answered = typeof when.results !== 'string' || occasion.tools.includes(when.results)
  return equal && spoken && declared && answered
}

/**
 * @param {object} step
 * @param {object} view what templates see
 * @returns {{ emit: object[], complete: boolean }} an empty step where no branch fits
 */
export function chooseBranch(step, view) {
  const branches = step.choose ?? [step]
  const branch = branches.find(candidate => conditionsOf(candidate).every(condition => holds(condition, view)))
  return { emit: branch?.emit ?? [], complete: branch?.complete ?? true }
}

function holds(condition, view) {
  const { found, value } = lookUp(view, condition.path)
  if (condition.exists !== undefined) return (found && value !== undefined && value !== null) === condition.exists
  if (condition.matches !== undefined)
    return typeof value === 'string' && new RegExp(condition.matches, 'i').test(value)
  return found && JSON.stringify(value) === JSON.stringify(condition.equals)
}

/** What is said where no rule fits an utterance. @param {import('./compile.js').CompiledScenario} scenario */
export function fallbackStep({ name }) {
  return { emit: [{ say: `This is the Toolgate simulator; the scenario \`${name}\` has no rule for this.` }] }
}

/** What is said where tools answered and nothing is scripted any more. @param {import('./compile.js').CompiledScenario} scenario */
export function exhaustedStep({ name }) {
  return { emit: [{ say: `This is the Toolgate simulator; the scenario \`${name}\` has no step for these results.` }] }
}
