// What the simulator does where no rule of the scenario fits, if the scenario has `"otherwise": "assistant"`: it reads
// everyday requests, calls the declared tool that fits, and says what came of it. It is no model: see the README.

import { clockOf } from './clock.js'
import { firstFree } from './free-times.js'
import { answerToNote } from './notes.js'
import { planFor } from './plan.js'
import { reportOf } from './report.js'
import { withExamples } from './examples.js'

/**
 * @import { ResultRound } from '../scenario/next-step.js'
 * @import { ScenarioStep } from '../scenario/types.js'
 * @import { ToolDeclaration } from './read-arguments.js'
 *
 * @typedef {object} Conversation
 * @property {ToolDeclaration[]} declared
 * @property {string} instructions the system prompt
 * @property {boolean} spoken
 * @property {string[]} utterances of the user, the newest last
 * @property {ResultRound[]} rounds of calls since then
 * @property {ResultRound | undefined} before the last calls before the utterance
 */

const MOST_EARLIER = 4
const NOT_UNDERSTOOD =
  'I did not understand that. I am the Toolgate simulator, not a model: I do what I am asked only if I understand all of it.'

/** @param {Conversation} conversation @returns {ScenarioStep} */
export function assistantStep({ declared, instructions, spoken, utterances, rounds, before }) {
  const clock = clockOf(instructions)
  const user = utterances.at(-1) ?? ''
  const audience = { clock, spoken, user }
  const setting = { declared, clock, spoken }
  const round = rounds.at(-1)
  if (round === undefined) {
    const note = answerToNote(user, before, audience)
    if (note !== null) return say(note)
    const plan = planFor(utterances.filter(isOfUser).slice(-MOST_EARLIER), setting)
    if (plan === null) return say(withExamples(NOT_UNDERSTOOD, setting, { most: spoken ? 1 : 3, request: user }))
    if ('call' in plan) return call(plan.call)
    return say(plan.examples === true ? withExamples(plan.say, setting, { most: spoken ? 3 : 6 }) : plan.say)
  }
  const plan = rounds.length === 1 ? planFor(utterances.filter(isOfUser).slice(-MOST_EARLIER), setting) : null
  if (plan !== null && 'call' in plan && plan.then !== undefined && round.tools[0] === plan.call.name) {
    const next = followUp(plan, round, clock)
    if (next !== null) return next
  }
  return say(round.results.map((result, at) => reportOf(round.tools[at], result, audience)).join(' '))
}

/** @param {Extract<import('./plan.js').Plan, { call: unknown }>} plan @param {ResultRound} round @param {import('./clock.js').Clock} clock */
function followUp({ call: asked, then }, { results }, clock) {
  const { ok, data } = /** @type {any} */ (results[0] ?? {})
  if (ok !== true || then === undefined) return null
  const slot = firstFree(data?.available_slots, asked.args.min_duration_minutes * 60, clock)
  return slot === null ? say('No time is free there. Tell me another day.') : call(then(slot))
}

/** Not a note of a server. @param {string} text */
const isOfUser = text => !/^\[(?:The|`)|^Approved(?:, but it failed)?: /.test(text)

/** @param {string} text @returns {ScenarioStep} */
const say = text => ({ emit: [{ say: { text, literal: true } }] })

/** @param {import('./plan.js').PlannedCall} planned @returns {ScenarioStep} */
const call = ({ name, args }) => ({ emit: [{ call: { name, args, literal: true } }] })
