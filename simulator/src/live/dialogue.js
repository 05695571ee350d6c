// The turns of one Live session: the active rule, its next step, and the open calls. Input is handled in order of
// arrival; the next utterance stops the running step.

import { runActions } from '../run-actions.js'
import { chooseBranch, chooseRule, exhaustedStep, fallbackStep } from '../scenario/choose.js'
import { LiveOutput } from './output.js'
import { PendingCalls } from './pending-calls.js'
import * as frames from './server-frames.js'

const CHARS_PER_TOKEN = 4

export class LiveDialogue {
  turn = 0
  pending = new PendingCalls()
  /** @type {object | null} the channel of the attached connection (see LiveOutput) */
  channel = null
  #rule = null
  #step = 0
  #view = {}
  #promptChars = 0
  /** @type {{ name: string, response: object }[]} answers to the calls of the current step */
  #answers = []
  /** @type {AbortController | null} of the running step */
  #playing = null

  /**
   * @param {import('../scenario/compile.js').CompiledScenario} scenario
   */
  constructor(scenario) {
    this.scenario = scenario
  }

  /**
   * @param {object} channel of the connection; replaces the channel of an earlier connection
   * @param {object} circumstances the members of a Trigger that the connection defines
   */
  attach(channel, circumstances) {
    if (this.channel !== null) this.detach(this.channel)
    this.channel = channel
    this.circumstances = { protocol: 'live', ...circumstances }
    this.#open('setup', {})
  }

  /** @param {object} channel ignored if another one is attached */
  detach(channel) {
    if (this.channel !== channel) return
    this.#stop()
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
    this.#promptChars = text.length
    if (!this.#open('user', { text, source })) this.#playUnscripted(fallbackStep(this.scenario))
  }

  /** Answers audio without a transcript. @param {number} seconds */
  userSaidUntranscribed(seconds) {
    this.bargeIn()
    this.turn += 1
    this.#promptChars = 0
    this.#view = { ...this.#baseView(), audio: { seconds } }
    this.#playUnscripted({ emit: [{ say: this.scenario.audio.untranscribed }] })
  }

  /** Interrupts the model, as the service does when the user speaks. */
  bargeIn() {
    if (!this.isBusy) return
    this.#stop()
    const ids = this.pending.cancelAll()
    if (ids.length > 0) this.channel.send(frames.toolCallCancellation(ids))
    this.channel.send(frames.interrupted())
    this.channel.send(frames.turnComplete())
  }

  /** Whether a step is running or calls are open. */
  get isBusy() {
    return this.#playing !== null || !this.pending.isEmpty
  }

  /** @param {{ id?: string, name: string, response: object, willContinue?: boolean }[]} responses */
  answer(responses) {
    for (const response of responses) {
      const kind = this.pending.answer(response)
      if (kind === 'awaited') this.#answers.push(response)
      else if (kind !== 'repeated') this.channel.anomaly({ kind, id: response.id, name: response.name })
    }
    if (this.#playing === null && this.pending.isEmpty && this.#answers.length > 0) this.#continue()
  }

  #open(kind, details) {
    const chosen = chooseRule(this.scenario, { ...this.circumstances, kind, turn: this.turn, ...details })
    if (chosen === null) return false
    this.#rule = chosen.rule
    this.#step = 0
    if (kind !== 'results') this.#view = { ...this.#baseView(), user: details.text, match: chosen.match }
    this.#play(chosen.rule.steps[0])
    return true
  }

  #continue() {
    const results = this.#answers.map(answer => answer.response)
    const tools = this.#answers.map(answer => answer.name)
    this.#view = { ...this.#view, results, result: results.at(-1) }
    this.#step += 1
    const step = this.#rule?.steps[this.#step]
    if (step !== undefined) this.#play(step)
    else if (!this.#open('results', { tools })) this.#playUnscripted(exhaustedStep(this.scenario))
  }

  #playUnscripted(step) {
    this.#rule = null
    this.#play(step)
  }

  #play(step) {
    const { emit, complete } = chooseBranch(step, this.#view)
    const output = new LiveOutput(this.channel, this.pending)
    const playing = new AbortController()
    this.#playing = playing
    this.#answers = []
    runActions(emit, this.#view, output, this.scenario.settings, playing.signal)
      .then(() => this.#played(playing, output, complete))
      .catch(error => playing.signal.aborted || this.channel?.fail(error))
  }

  #played(playing, output, complete) {
    if (this.#playing !== playing) return
    this.#playing = null
    if (!this.pending.isEmpty) return
    if (this.#answers.length > 0) this.#continue()
    else if (complete && !output.wasInterrupted) this.#completeTurn(output.spokenChars)
  }

  #completeTurn(spokenChars) {
    this.channel.send(frames.generationComplete())
    this.channel.send(
      frames.turnComplete({
        prompt: Math.ceil(this.#promptChars / CHARS_PER_TOKEN),
        response: Math.ceil(spokenChars / CHARS_PER_TOKEN),
        modality: this.channel.speech.audioOut ? 'AUDIO' : 'TEXT',
      }),
    )
    this.channel.turnCompleted()
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
