// The turns of one Live session: the active rule, its next step, and the open calls. Input is handled in order of
// arrival; the next utterance stops the running step.

import { runActions } from '../run-actions.js'
import { chooseBranch, chooseRule, unscriptedStep } from '../scenario/choose.js'
import { LiveOutput, freshId } from './live-output.js'
import { PendingCalls } from './pending-calls.js'
import * as frames from './server-frames.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Anomaly } from '../recorder.js'
 * @import { TriggerCircumstances, TriggerEvent } from '../scenario/choose.js'
 * @import { CompiledRule } from '../scenario/compile.js'
 * @import { CloseParameters, ScenarioStep, TemplateView } from '../scenario/types.js'
 */

const CHARS_PER_TOKEN = 4
const MOST_UTTERANCES = 20

/**
 * @typedef {object} LiveChannel the interface of a connection to its dialogue
 * @property {(frame: JsonObject) => void} send
 * @property {(text: string) => void} sendRaw
 * @property {(how: CloseParameters) => void} disconnect
 * @property {(error: Error) => void} fail
 * @property {(name: string) => void} skip
 * @property {(anomaly: Pick<Anomaly, 'kind' | 'id' | 'name'>) => void} anomaly
 * @property {{ audioOut: boolean, transcribeOut: boolean }} speech
 * @property {number} toneMs
 * @property {() => void} turnCompleted
 *
 * @typedef {{ id?: string, name: string, response: JsonObject, willContinue?: boolean, scheduling?: string }} FunctionResponsePart
 */

export class LiveDialogue {
  turn = 0
  pending = new PendingCalls()
  /** @type {LiveChannel | null} the channel of the attached connection */
  channel = null
  /** @type {TriggerCircumstances} */
  circumstances = { protocol: 'live', declared: [], instructions: '' }
  /** @type {CompiledRule | null} */
  #rule = null
  #step = 0
  /** @type {TemplateView} */
  #view = {}
  #promptChars = 0
  /** @type {string[]} of the user */
  #utterances = []
  /** @type {import('../scenario/next-step.js').ResultRound[]} of calls since the last utterance */
  #rounds = []
  /** @type {'text' | 'audio'} of the last utterance */
  #source = 'text'
  /** @type {FunctionResponsePart[]} answers to the calls of the current step */
  #answers = []
  /** @type {FunctionResponsePart[]} results of calls that had a first word, which wait for the end of the turn */
  #later = []
  /** @type {AbortController | null} of the running step */
  #playing = null
  /** @type {import('./server-frames.js').FunctionCallPart[]} calls that were open when the last connection ended */
  #interrupted = []

  /**
   * @param {import('../scenario/compile.js').CompiledScenario} scenario
   */
  constructor(scenario) {
    this.scenario = scenario
  }

  /**
   * @param {LiveChannel} channel of the connection; replaces the channel of an earlier connection
   * @param {Omit<TriggerCircumstances, 'protocol'>} circumstances
   * @param {Set<string>} [nonBlocking] names of functions
   */
  attach(channel, circumstances, nonBlocking = new Set()) {
    if (this.channel !== null) this.detach(this.channel)
    this.pending.nonBlocking = nonBlocking
    this.channel = channel
    this.circumstances = { protocol: 'live', ...circumstances }
    this.#open({ kind: 'setup' })
    if (circumstances.resumed) this.#repeatCalls(channel)
  }

  /** Makes the calls of the earlier connection again, where the scenario has such a service. @param {LiveChannel} channel */
  #repeatCalls(channel) {
    const { resumedCalls } = this.scenario.settings
    const calls = this.#interrupted.map(call => (resumedCalls === 'renewed' ? { ...call, id: freshId() } : call))
    this.#interrupted = []
    if (resumedCalls === 'forgotten' || calls.length === 0) return
    for (const call of calls) this.pending.add(call)
    channel.send(frames.toolCall(calls))
  }

  /**
   * Gives the session back to a connection that a later one has superseded: the answer to its input goes to it, not to
   * the later connection, which may be closed.
   *
   * @param {LiveChannel} channel
   */
  reattach(channel) {
    if (this.channel === channel) return
    this.detach(this.channel)
    this.channel = channel
  }

  /** @param {LiveChannel | null} channel ignored if another one is attached */
  detach(channel) {
    if (this.channel !== channel) return
    this.#stop()
    this.#interrupted = this.pending.open
    this.#later = []
    this.pending.cancelAll()
    this.channel = null
  }

  /**
   * @param {string} text the utterance
   * @param {'text' | 'audio'} source
   */
  userSaid(text, source) {
    this.bargeIn()
    this.turn += 1
    this.#source = source
    this.#promptChars = text.length
    this.#utterances = [...this.#utterances, text].slice(-MOST_UTTERANCES)
    const before = this.#rounds.at(-1)
    this.#rounds = []
    if (!this.#open({ kind: 'user', text })) this.#playUnscripted(this.#unscripted(before))
  }

  /** @param {import('../scenario/next-step.js').ResultRound} [before] the last calls before the utterance */
  #unscripted(before) {
    return unscriptedStep(this.scenario, {
      ...this.circumstances,
      utterances: this.#utterances,
      rounds: this.#rounds,
      before,
    })
  }

  /** Answers audio without a transcript. @param {number | null} seconds null: with an empty turn, because it was said before */
  userSaidUntranscribed(seconds) {
    this.bargeIn()
    this.turn += 1
    this.#source = 'audio'
    this.#promptChars = 0
    this.#view = { ...this.#baseView(), audio: { seconds } }
    this.#playUnscripted({ emit: seconds === null ? [] : [{ say: this.scenario.audio.untranscribed }] })
  }

  /** Interrupts the model, as the service does when the user speaks. */
  bargeIn() {
    if (!this.isBusy) return
    this.#stop()
    const ids = this.pending.cancelAll()
    const channel = this.#attachedChannel()
    if (ids.length > 0) channel.send(frames.toolCallCancellation(ids))
    channel.send(frames.interrupted())
    channel.send(frames.turnComplete())
  }

  /** Whether a step is running or calls are open. */
  get isBusy() {
    return this.#playing !== null || !this.pending.isEmpty
  }

  /**
   * @param {FunctionResponsePart[]} responses
   * @param {LiveChannel} channel of the connection that sent them
   */
  answer(responses, channel) {
    for (const response of responses) {
      const kind = this.pending.answer(response)
      if (kind === 'awaited') this.#answers.push(response)
      else if (kind === 'later') this.#resultCame(response)
      else if (kind !== 'repeated') channel.anomaly({ kind, id: response.id, name: response.name })
    }
    if (this.#playing === null && this.pending.isEmpty && this.#answers.length > 0) this.#continue()
  }

  /** A result that the model has not waited for: spoken about at rest, or not at all. @param {FunctionResponsePart} response */
  #resultCame(response) {
    if (response.scheduling === 'SILENT') return
    this.#later.push(response)
    if (!this.isBusy) this.#playLater()
  }

  #playLater() {
    this.#answers = this.#later.splice(0)
    this.#rule = null
    this.#continue()
  }

  /** @param {TriggerEvent} event */
  #open(event) {
    const circumstances = { ...this.circumstances, turn: this.turn, source: this.#source }
    const chosen = chooseRule(this.scenario, { ...circumstances, ...event })
    if (chosen === null) return false
    this.#rule = chosen.rule
    this.#step = 0
    if (event.kind !== 'results') {
      const user = event.kind === 'user' ? event.text : undefined
      this.#view = { ...this.#baseView(), user, match: chosen.match }
    }
    this.#play(chosen.rule.steps[0])
    return true
  }

  #continue() {
    const results = this.#answers.map(answer => answer.response)
    const tools = this.#answers.map(answer => answer.name)
    this.#view = { ...this.#view, results, result: results.at(-1) }
    this.#rounds.push({ tools, results })
    this.#step += 1
    const step = this.#rule?.steps[this.#step]
    if (step !== undefined) this.#play(step)
    else if (!this.#open({ kind: 'results', tools })) this.#playUnscripted(this.#unscripted())
  }

  /** @param {ScenarioStep} step */
  #playUnscripted(step) {
    this.#rule = null
    this.#play(step)
  }

  /** @param {ScenarioStep} step */
  #play(step) {
    const { emit, complete } = chooseBranch(step, this.#view)
    const channel = this.#attachedChannel()
    const output = new LiveOutput(channel, this.pending)
    const playing = new AbortController()
    this.#playing = playing
    this.#answers = []
    runActions(emit, this.#view, output, this.scenario.settings, playing.signal)
      .then(() => this.#played(playing, output, complete))
      .catch(error => playing.signal.aborted || this.channel?.fail(error))
  }

  /** @param {AbortController} playing @param {LiveOutput} output @param {boolean} complete */
  #played(playing, output, complete) {
    if (this.#playing !== playing) return
    this.#playing = null
    if (!this.pending.isEmpty) return
    if (this.#answers.length > 0) this.#continue()
    else if (complete && !output.wasInterrupted) this.#completeTurn(output.spokenChars)
  }

  /** @param {number} spokenChars */
  #completeTurn(spokenChars) {
    const channel = this.#attachedChannel()
    channel.send(frames.generationComplete())
    channel.send(
      frames.turnComplete({
        prompt: Math.ceil(this.#promptChars / CHARS_PER_TOKEN),
        response: Math.ceil(spokenChars / CHARS_PER_TOKEN),
        modality: channel.speech.audioOut ? 'AUDIO' : 'TEXT',
      }),
    )
    channel.turnCompleted()
    if (this.#later.length > 0) this.#playLater()
  }

  #attachedChannel() {
    if (this.channel === null) throw new Error('no connection is attached')
    return this.channel
  }

  #stop() {
    this.#playing?.abort()
    this.#playing = null
    this.#answers = []
  }

  #baseView() {
    return { turn: this.turn, connection: this.circumstances.connection, scenario: this.scenario.name }
  }
}
