// Compiles a scenario's rules and checks what its JSON Schema cannot express: regular expressions, templates, members
// that exclude each other.

import { compileMatcher } from './matcher.js'
import { unsupportedProblem } from './protocols.js'
import { pathProblem, templateProblem } from './template.js'

/**
 * @import { ActionEntry, CallAction, RuleConditions, ScenarioAction, ScenarioAudio, ScenarioBranch, ScenarioCondition,
 *   ScenarioDocument, ScenarioRule, ScenarioSettings, ScenarioStep, UtterancePattern } from './types.js'
 */

/**
 * @typedef {object} CompiledScenario
 * @property {string} name
 * @property {ScenarioSettings} settings
 * @property {ScenarioAudio} audio
 * @property {'assistant'} [otherwise]
 * @property {CompiledRule[]} rules
 *
 * @typedef {object} CompiledRule
 * @property {string} name
 * @property {RuleConditions} when as in the scenario; `"always"` is `{}`
 * @property {import('./matcher.js').Matcher} matches
 * @property {ScenarioStep[]} steps as in the scenario
 *
 * @typedef {(pointer: string, message: string | null) => void} FindingReporter null reports nothing
 */

/**
 * @param {ScenarioDocument} document a scenario that is valid against the schema
 * @param {{ untranscribed: string }} audio
 * @param {import('./error.js').Finding[]} findings new findings are appended
 * @returns {CompiledRule[]}
 */
export function compileRules(document, audio, findings) {
  /** @type {FindingReporter} */
  const note = (pointer, message) => {
    if (message !== null) findings.push({ pointer, message })
  }
  note('/audio/untranscribed', templateProblem(audio.untranscribed))
  return document.rules.map((rule, index) => compileRule(rule, index, note))
}

/** @param {ScenarioRule} rule @param {number} index @param {FindingReporter} note @returns {CompiledRule} */
function compileRule(rule, index, note) {
  const pointer = `/rules/${index}`
  const when = rule.when === undefined || rule.when === 'always' ? {} : rule.when
  const occasions = /** @type {const} */ (['user', 'results', 'event']).filter(name => when[name] !== undefined)
  if (occasions.length > 1)
    note(`${pointer}/when`, `\`${occasions.join('` and `')}\` exclude each other; write two rules`)
  rule.steps.forEach((step, at) => checkStep(step, `${pointer}/steps/${at}`, when.protocol, note))
  return {
    name: rule.name ?? `rule ${index}`,
    when,
    matches: matcherOf(when.user, `${pointer}/when/user/regex`, note),
    steps: rule.steps,
  }
}

/**
 * @param {UtterancePattern | undefined} spec
 * @param {string} pointer
 * @param {FindingReporter} note
 * @returns {import('./matcher.js').Matcher}
 */
function matcherOf(spec, pointer, note) {
  try {
    return compileMatcher(spec)
  } catch (error) {
    note(pointer, lowerFirst(/** @type {SyntaxError} */ (error).message))
    return () => null
  }
}

/**
 * @param {ScenarioStep} step
 * @param {string} pointer
 * @param {RuleConditions['protocol']} protocol
 * @param {FindingReporter} note
 */
function checkStep(step, pointer, protocol, note) {
  if ((step.emit === undefined) === (step.choose === undefined)) note(pointer, 'must have either `emit` or `choose`')
  if (step.choose !== undefined && step.complete !== undefined)
    note(`${pointer}/complete`, 'belongs into the branches of `choose`')
  checkActions(step.emit ?? [], `${pointer}/emit`, protocol, note)
  ;(step.choose ?? []).forEach((branch, at) => {
    const place = `${pointer}/choose/${at}`
    conditionsOf(branch).forEach((condition, index) => {
      checkCondition(condition, Array.isArray(branch.if) ? `${place}/if/${index}` : `${place}/if`, note)
    })
    checkActions(branch.emit, `${place}/emit`, protocol, note)
  })
}

/** @param {Pick<ScenarioBranch, 'if'>} branch @returns {ScenarioCondition[]} */
export function conditionsOf(branch) {
  return branch.if === undefined ? [] : [branch.if].flat()
}

/** @param {ScenarioCondition} condition @param {string} pointer @param {FindingReporter} note */
function checkCondition(condition, pointer, note) {
  note(`${pointer}/path`, pathProblem(condition.path))
  if (condition.matches !== undefined) matcherOf({ regex: condition.matches }, `${pointer}/matches`, note)
}

/**
 * @param {ScenarioAction[]} actions
 * @param {string} pointer
 * @param {RuleConditions['protocol']} protocol
 * @param {FindingReporter} note
 */
function checkActions(actions, pointer, protocol, note) {
  actions.forEach((action, at) => {
    const [entry] = /** @type {ActionEntry[]} */ (Object.entries(action))
    const [name] = entry
    const place = `${pointer}/${at}/${name}`
    note(place, unsupportedProblem(name, protocol))
    checkAction(entry, place, note)
  })
}

/** @param {ActionEntry} entry @param {string} place @param {FindingReporter} note */
function checkAction([name, value], place, note) {
  if (name === 'say') note(place, templateProblem(typeof value === 'string' ? value : value.text))
  if (name === 'sayEach') {
    note(`${place}/path`, pathProblem(value.path))
    note(`${place}/text`, templateProblem(value.text))
  }
  if (name === 'call') checkCall(value, place, note)
  if (name === 'calls') value.forEach((call, at) => checkCall(call, `${place}/${at}`, note))
}

/** @param {CallAction} call @param {string} place @param {FindingReporter} note */
function checkCall(call, place, note) {
  if (call.args !== undefined && call.rawArgs !== undefined) note(place, '`args` and `rawArgs` exclude each other')
  for (const text of stringsIn(call.args)) note(`${place}/args`, templateProblem(text))
}

/** @param {unknown} value @returns {string[]} */
function stringsIn(value) {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** @param {string} text */
function lowerFirst(text) {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
