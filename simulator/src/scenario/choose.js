// Chooses the rule for an event and the branch of its step. Pure functions.

import { conditionsOf } from './compile.js'
import { lookUp } from './template.js'

/**
 * @typedef {object} Trigger the event that a rule may match
 * @property {'user' | 'results' | 'setup'} kind
 * @property {string} protocol one of PROTOCOLS
 * @property {number} turn number of user utterances, this one included
 * @property {string[]} declared names of the tools that the client declared and allows
 * @property {string} [text] the utterance (kind `user`)
 * @property {'text' | 'audio'} [source] of the utterance (kind `user`)
 * @property {string[]} [tools] names of the answered tools (kind `results`)
 * @property {number} [connection] 1-based number of the connection, if the protocol has one
 * @property {boolean} [resumed] whether the Live session was resumed by a handle
 */

/**
 * Returns the first matching rule.
 *
 * @param {import('./compile.js').CompiledScenario} scenario
 * @param {Trigger} trigger
 * @returns {{ rule: import('./compile.js').CompiledRule, match: Record<string, string> } | null}
 */
export function chooseRule(scenario, trigger) {
  for (const rule of scenario.rules) {
    if (kindOf(rule.when) !== trigger.kind || !conditionsMatch(rule.when, trigger)) continue
    const match = trigger.kind === 'user' ? rule.matches(trigger.text) : {}
    if (match !== null) return { rule, match }
  }
  return null
}

function kindOf(when) {
  if (when.event !== undefined) return when.event
  return when.results === undefined ? 'user' : 'results'
}

function conditionsMatch(when, trigger) {
  const equal = ['source', 'turn', 'connection', 'resumed'].every(
    name => when[name] === undefined || when[name] === trigger[name],
  )
  const spoken = when.protocol === undefined || [when.protocol].flat().includes(trigger.protocol)
  const declared = (when.declared ?? []).every(tool => trigger.declared.includes(tool))
  const answered = typeof when.results !== 'string' || trigger.tools.includes(when.results)
  return equal && spoken && declared && answered
}

/**
 * @param {object} step
 * @param {object} view values for conditions
 * @returns {{ emit: object[], complete: boolean }} an empty step if no branch matches
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

/** The step for an utterance that no rule matches. @param {import('./compile.js').CompiledScenario} scenario */
export function fallbackStep({ name }) {
  return { emit: [{ say: `This is the Toolgate simulator; the scenario \`${name}\` has no rule for this.` }] }
}

/** The step for tool results without a scripted step. @param {import('./compile.js').CompiledScenario} scenario */
export function exhaustedStep({ name }) {
  return { emit: [{ say: `This is the Toolgate simulator; the scenario \`${name}\` has no step for these results.` }] }
}
