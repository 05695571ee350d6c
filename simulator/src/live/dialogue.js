// The turns of one Live session: which rule is being played, which step is next, which calls are open.
// Everything goes in in the order of arrival; what is played is stopped by the next utterance.

import { perform } from '../perform.js'
import { chooseBranch, chooseRule, exhaustedStep, fallbackStep } from '../scenario/choose.js'
import { LiveOutput } from './output.js'
import { PendingCalls } from './pending-calls.js'
import * as frames from './server-frames.js'

const CHARS_PER_TOKEN = 4

export class Dialogue {
  turn = 0
  pending = new PendingCalls()
  /** @type {object | null} the wire of the connection that is attached (see LiveOutput) */
  wire = null
  #rule = null
  #step = 0
  #view = {}
  #promptChars = 0
  /** @type {{ name: string, response: object }[]} answers to the calls of the present step */
  #answers = []
  /** @type {AbortController | null} of the step that is being played */
  #playing = null

  /**
   * @param {import('../scenario/compile.js').CompiledScenario} scenario
   */
  constructor(scenario) {
    this.scenario = scenario
  }

  /**
   * @param {object} wire of the connection; a resumed session leaves the one it had
   * @param {object} circumstances the connection's share of an Occasion
   */
  attach(wire, circumstances) {
    if (this.wire !== null) this.detach(this.wire)
    this.wire = wire
    this.circumstances = { protocol: 'live', ...circumstances }
    this.#open('setup', {})
  }

  /** @param {object} wire nothing happens where another one is attached by now */
  detach(wire) {
    if (this.wire !== wire) return
    this.#stop()
    this.pending.cancelAll()
    this.wire = null
  }

  /**
   * @param {string} text what the user said
   * @param {'text' | 'audio'} source
   */
  utter(text, source) {
    this.bargeIn()
    this.turn += 1
    this.#promptChars = text.length
    if (!this.#open('user', { text, source })) this.#playUnscripted(fallbackStep(this.scenario))
  }

  /** Answers audio that no transcript exists for. @param {number} seconds */
  utterUntranscribed(seconds) {
    this.bargeIn()
    this.turn += 1
    this.#promptChars = 0
    this.#view = { ...this.#baseView(), audio: { seconds } }
    this.#playUnscripted({ emit: [{ say: this.scenario.audio.untranscribed }] })
  }

  /** Ends what the model is doing, as the service does when the user speaks. */
  bargeIn() {
    if (!this.isBusy) return
    this.#stop()
    const ids = this.pending.cancelAll()
    if (ids.length > 0) this.wire.send(frames.toolCallCancellation(ids))
    this.wire.send(frames.interrupted())
    this.wire.send(frames.turnComplete())
  }

  /** Whether the model speaks or waits for tools. */
  get isBusy() {
    return this.#playing !== null || !this.pending.isEmpty
  }

  /** @param {{ id?: string, name: string, response: object, willContinue?: boolean }[]} responses */
  answer(responses) {
    for (const response of responses) {
      const kind = this.pending.answer(response)
      if (kind === 'awaited') this.#answers.push(response)
      else if (kind !== 'repeated') this.wire.anomaly({ kind, id: response.id, name: response.name })
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
    const output = new LiveOutput(this.wire, this.pending)
    const playing = new AbortController()
    this.#playing = playing
    this.#answers = []
    perform(emit, this.#view, output, this.scenario.settings, playing.signal)
      .then(() => this.#played(playing, output, complete))
      .catch(error => playing.signal.aborted || this.wire?.fail(error))
  }

  #played(playing, output, complete) {
    if (this.#playing !== playing) return
    this.#playing = null
    if (!this.pending.isEmpty) return
    if (this.#answers.length > 0) this.#continue()
    else if (complete && !output.wasInterrupted) this.#completeTurn(output.spokenChars)
  }

  #completeTurn(spokenChars) {
    this.wire.send(frames.generationComplete())
    this.wire.send(
      frames.turnComplete({
        prompt: Math.ceil(this.#promptChars / CHARS_PER_TOKEN),
        response: Math.ceil(spokenChars / CHARS_PER_TOKEN),
        modality: this.wire.speech.audioOut ? 'AUDIO' : 'TEXT',
      }),
    )
    this.wire.turnCompleted()
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
