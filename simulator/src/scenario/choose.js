// Chooses the rule for an event and the branch of its step. Pure functions.

import { assistantStep } from '../assistant/index.js'
import { conditionsOf } from './compile.js'
import { lookUp } from './template.js'

/**
 * @import { Conversation } from '../assistant/index.js'
 * @import { ToolDeclaration } from '../assistant/read-arguments.js'
 * @import { CompiledRule, CompiledScenario } from './compile.js'
 * @import { ProtocolName, RuleConditions, ScenarioAction, ScenarioBranch, ScenarioCondition, ScenarioStep,
 *   TemplateView } from './types.js'
 */

/**
 * @typedef {TriggerCircumstances & TriggerPosition & TriggerEvent} Trigger the event that a rule may match
 *
 * @typedef {object} TriggerCircumstances the part of a trigger that the connection or request defines
 * @property {ProtocolName} protocol
 * @property {ToolDeclaration[]} declared the tools that the client declared and allows
 * @property {string} instructions the system prompt
 * @property {number} [connection] 1-based number of the connection, if the protocol has one
 * @property {boolean} [resumed] whether the Live session was resumed by a handle
 *
 * @typedef {object} TriggerPosition
 * @property {number} turn number of user utterances, this one included
 * @property {'text' | 'audio'} [source] of the utterance; `text` before the first one
 *
 * @typedef {{ kind: 'user', text: string } | { kind: 'results', tools: string[] } | { kind: 'setup' }} TriggerEvent
 *   `text` is the utterance, `tools` are the names of the answered tools
 */

/**
 * Returns the first matching rule.
 *
 * @param {CompiledScenario} scenario
 * @param {Trigger} trigger
 * @returns {{ rule: CompiledRule, match: Record<string, string> } | null}
 */
export function chooseRule(scenario, trigger) {
  for (const rule of scenario.rules) {
    if (kindOf(rule.when) !== trigger.kind || !conditionsMatch(rule.when, trigger)) continue
    const match = trigger.kind === 'user' ? rule.matches(trigger.text) : {}
    if (match !== null) return { rule, match }
  }
  return null
}

/** @param {RuleConditions} when @returns {Trigger['kind']} */
function kindOf(when) {
  if (when.event !== undefined) return when.event
  return when.results === undefined ? 'user' : 'results'
}

/** @param {RuleConditions} when @param {Trigger} trigger */
function conditionsMatch(when, trigger) {
  const equal = /** @type {const} */ (['source', 'turn', 'connection', 'resumed']).every(
    name => when[name] === undefined || when[name] === trigger[name],
  )
  const spoken = when.protocol === undefined || [when.protocol].flat().includes(trigger.protocol)
  const declared = (when.declared ?? []).every(tool => trigger.declared.some(({ name }) => name === tool))
  const answered =
    typeof when.results !== 'string' || (trigger.kind === 'results' && trigger.tools.includes(when.results))
  return equal && spoken && declared && answered
}

/**
 * @param {ScenarioStep} step
 * @param {TemplateView} view
 * @returns {{ emit: ScenarioAction[], complete: boolean }} an empty step if no branch matches
 */
export function chooseBranch(step, view) {
  /** @type {Partial<ScenarioBranch>[]} */
  const branches = step.choose ?? [step]
  const branch = branches.find(candidate => conditionsOf(candidate).every(condition => holds(condition, view)))
  return { emit: branch?.emit ?? [], complete: branch?.complete ?? true }
}

/** @param {ScenarioCondition} condition @param {TemplateView} view */
function holds(condition, view) {
  const { found, value } = lookUp(view, condition.path)
  if (condition.exists !== undefined) return (found && value !== undefined && value !== null) === condition.exists
  if (condition.matches !== undefined)
    return typeof value === 'string' && new RegExp(condition.matches, 'i').test(value)
  return found && JSON.stringify(value) === JSON.stringify(condition.equals)
}

/**
 * The step where the rules have none: for an utterance that no rule matches, or for results without a scripted step.
 *
 * @param {CompiledScenario} scenario
 * @param {Omit<Conversation, 'spoken'> & { protocol: ProtocolName }} conversation
 * @returns {ScenarioStep}
 */
export function unscriptedStep({ name, otherwise }, { protocol, ...conversation }) {
  if (otherwise === 'assistant')
    return assistantStep({ ...conversation, spoken: ['live', 'realtime', 'gptLive'].includes(protocol) })
  const lacking = conversation.rounds.length > 0 ? 'step for these results' : 'rule for this'
  return { emit: [{ say: `This is the Toolgate simulator; the scenario \`${name}\` has no ${lacking}.` }] }
}
