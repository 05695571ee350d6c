// What the model of a GPT-Live session does: words of the user begin a step of the scenario. What the step says is spoken; its calls
// are delegations to the application, or those of a Responses backend.

import { AnswerBuilder, freshId } from '../answer-builder.js'
import { textOfContent } from '../content-text.js'
import { flatFunctions } from '../openai/flat-tools.js'
import { jsonOrText } from '../parse-json.js'
import { eventError } from '../realtime/parse-event.js'
import { ResponsesFormat } from '../responses/responses-format.js'
import { ResponseStore } from '../responses/response-store.js'
import { runActions } from '../run-actions.js'
import { chooseBranch } from '../scenario/choose.js'
import { nextStep, positionOf } from '../scenario/next-step.js'
import { tone } from '../tone.js'
import { GptLiveOutput } from './gpt-live-output.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { HistoryEntry } from '../scenario/next-step.js'
 * @import { GptLiveConnection } from './gpt-live-connection.js'
 */

const MS_PER_CHARACTER = 60

export class GptLiveDialogue {
  /** The length of all words on the session's timeline. */
  saidMs = 0
  /** Ids of the delegations to the application. @type {Set<string>} */
  delegations = new Set()
  /** @type {HistoryEntry[]} */
  #history = []
  /** Calls of the backend: whether each has its answer. @type {Map<string, { name: string, isAnswered: boolean }>} */
  #calls = new Map()
  /** The backend's delegation in progress. @type {string | null} */
  #delegation = null
  #playing = new AbortController()
  /** What the model says after a fixture. @type {string[]} */
  #waiting = []
  /** Of the steps that run. @type {Set<GptLiveOutput>} */
  #outputs = new Set()

  /** @param {GptLiveConnection} connection */
  constructor(connection) {
    this.connection = connection
  }

  stop() {
    this.#playing.abort()
  }

  /** A fixture is over. */
  resume() {
    for (const words of this.#waiting.splice(0)) this.say(words)
  }

  /** What the model was about to say is not said; its work goes on. */
  silence() {
    for (const output of this.#outputs) output.isSilenced = true
  }

  /** @param {string} words of the user */
  hear(words) {
    this.#sendWords('input', words)
    this.#history.push({ kind: 'user', text: words, source: 'audio' })
    this.#delegation = null
    this.#play()
  }

  /** @param {string} words of the model, which waits for the end of a fixture */
  say(words) {
    if (this.connection.isPlaying) return void this.#waiting.push(words)
    this.#sendWords('output', words)
    this.connection.sendAudio(tone(this.connection.host.scenario().settings.toneMs))
  }

  /** Delegates to the application. @param {string} id */
  delegate(id) {
    this.delegations.add(id)
    this.#sendDelegation({ id, target: 'client' })
  }

  /** @param {JsonObject} item an input item of the backend */
  addItem(item) {
    if (item.role === 'user') return this.#addText(item)
    if (item.type !== 'function_call_output') return
    const call = this.#calls.get(item.call_id)
    const kind = call === undefined ? 'unknown_id' : 'answered_twice'
    if (call === undefined || call.isAnswered) {
      this.connection.host.anomaly({ connection: this.connection.number, kind, id: item.call_id, name: call?.name })
      throw eventError(`no tool call waits for an output with the call id \`${item.call_id}\``, {
        param: 'item.call_id',
      })
    }
    call.isAnswered = true
    this.#history.push({ kind: 'result', id: item.call_id, value: jsonOrText(item.output) })
  }

  /** Text of the user for the backend, which answers it when asked to. @param {JsonObject} item */
  #addText({ content }) {
    this.#history.push({ kind: 'user', text: textOfContent(content), source: 'text' })
    this.#delegation = null
  }

  /** The backend goes on with the outputs that it has. */
  continue() {
    const open = [...this.#calls].find(([, { isAnswered }]) => !isAnswered)
    if (open !== undefined) {
      const [id, { name }] = open
      this.connection.host.anomaly({ connection: this.connection.number, kind: 'asked_too_early', id, name })
      throw eventError(`no tool output found for function call ${id}`, { param: 'input' })
    }
    this.#play()
  }

  /** The backend's response of a step. @returns {AnswerBuilder & { finish(): void }} */
  beginResponse() {
    const { responses } = this.connection.session?.delegation ?? {}
    const format = new ResponsesFormat({ ...responses, store: false }, [], new ResponseStore())
    const id = format.base.id
    const delegation = this.#delegation ?? freshId('dlg_')
    if (this.#delegation === null) this.#sendDelegation({ id: delegation, target: 'responses', response_id: id })
    this.#delegation = delegation
    const send = (/** @type {JsonObject[]} */ events) => {
      for (const event of events)
        this.connection.sendEvent({ type: 'response.event', delegation_id: delegation, event: withoutSnapshot(event) })
    }
    send(format.begin())
    const answer = new AnswerBuilder({
      opened: part => send(format.opened(part)),
      grew: (part, piece) => send(format.grew(part, piece)),
      closed: part => send(format.closed(part)),
    })
    const finish = () => {
      answer.end(answer.isWhole)
      send(format.end(answer))
      this.#rememberCalls(answer)
    }
    return Object.assign(answer, { finish })
  }

  /** @param {AnswerBuilder} answer */
  #rememberCalls(answer) {
    const calls = answer.callParts.map(({ id = '', name = '' }) => ({ id, name }))
    if (!answer.isWhole || calls.length === 0) return
    this.#history.push({ kind: 'calls', calls })
    for (const { id, name } of calls) this.#calls.set(id, { name, isAnswered: false })
  }

  #play() {
    const { connection } = this
    const scenario = connection.host.scenario()
    const delegation = connection.session?.delegation
    const circumstances = {
      protocol: /** @type {const} */ ('gptLive'),
      connection: connection.number,
      declared: flatFunctions(delegation?.responses ?? {}),
      instructions: connection.session?.instructions ?? '',
    }
    const { step, view } = nextStep(scenario, circumstances, positionOf(this.#history))
    const output = new GptLiveOutput(this, connection, delegation?.type === 'responses')
    const { signal } = this.#playing
    this.#outputs.add(output)
    runActions(chooseBranch(step, view).emit, view, output, scenario.settings, signal)
      .then(() => output.end())
      .catch(error => signal.aborted || connection.fail(error))
      .finally(() => this.#outputs.delete(output))
  }

  /** @param {JsonObject} delegation */
  #sendDelegation(delegation) {
    const { connection } = this
    const offset = { offset_ms: connection.now }
    connection.sendEvent({
      type: 'session.delegation.created',
      ...offset,
      delegation: { type: 'delegation', ...delegation },
    })
  }

  /** @param {'input' | 'output'} side @param {string} words */
  #sendWords(side, words) {
    const start = this.connection.now
    this.saidMs += words.length * MS_PER_CHARACTER
    const range = { start_ms: start, end_ms: this.connection.now }
    this.connection.sendEvent({ type: `session.${side}_transcript.delta`, delta: words, ...range })
  }
}

/** The service clears the lists of a response: what was made is in the events before. @param {JsonObject} event */
function withoutSnapshot(event) {
  if (event.response === undefined) return event
  return { ...event, response: { ...event.response, output: [], tools: [], instructions: null } }
}
