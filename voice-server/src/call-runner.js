// Runs the tool calls of the provider's messages through the gate and answers them. The gate decides; this only keeps
// the order: the calls of one message are admitted together and answered together. A barge-in ends the turn: what was
// only read is dropped, and a write that had begun is reported when it ends, without breaking in.
import { withReadBack } from './read-back.js'

const isCommitted = ({ ok, error }) => ok || error.partialSideEffects

export class CallRunner {
  /** Id → `{ call, transport, isCancelled }` of what has not been answered. */
  #running = new Map()
  /** Barge-ins so far: what was asked before the last one is answered differently. */
  #interruptions = 0
  #stopped = false

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(toolId: string) => { sideEffects: string, title: string } | null} options.metadataOf
   * @param {(frame: object) => void} options.tell the client
   * @param {() => Promise<unknown>} options.turnBegun resolves when the user's turn is known to the gate
   * @param {() => void} options.onAnswered after each round of answers
   * @param {(answer: object, transport: object) => void} options.answerLate tells the model of a write whose turn is over
   * @param {(transport: object) => boolean} options.isCurrent whether anybody hears what is put on it
   * @param {(answers: object[]) => void} options.answerLost tells the model of answers whose connection has broken
   * @param {(answer: object, transport: object) => void} options.withdraw of a call whose turn is over, and that changed nothing
   * @param {import('./filler.js').Filler} options.filler
   * @param {import('./consent.js').Consent} options.consent
   * @param {(call: import('toolgate').ToolCall, response: import('toolgate').ToolResponse | null) => void} options.onWrite
   *   a write begins (`null`), or has its answer
   */
  constructor(options) {
    this.options = options
  }

  get isBusy() {
    return this.#running.size > 0
  }

  /** Calls that will be run with others of theirs: they can be cancelled from now on. */
  expect(calls) {
    for (const call of calls) this.#running.set(call.id, { call, isCancelled: false, isExpected: true })
  }

  /** The connection has broken before they were all there. */
  forgetExpected() {
    for (const [id, { isExpected }] of this.#running) if (isExpected) this.#running.delete(id)
  }

  /** The provider no longer wants these answered. */
  cancel(callIds) {
    for (const id of callIds) this.#cancel(id, 'cancelled by the provider')
  }

  /** The turn is over, with all that it asked for. */
  interrupted() {
    this.#interruptions += 1
    for (const id of this.#running.keys()) this.#cancel(id, 'the user broke in')
  }

  stop() {
    this.#stopped = true
  }

  /** What came of a call, for the client: never its data. */
  report({ id, name, result: { ok, error, meta } }) {
    const failed = ok ? {} : { errorType: error.type, message: error.message }
    this.options.tell({
      type: 'toolResult',
      id,
      name,
      title: this.#titleOf(name),
      ok,
      durationMs: meta.duration,
      ...failed,
    })
  }

  /**
   * @param {import('toolgate').ToolCall[]} calls of one message
   * @param {import('toolgate').ToolTransport} transport that the calls came from: only there are they awaited
   */
  async run(calls, transport) {
    const { session, tell, turnBegun, filler } = this.options
    const asked = this.#interruptions
    const entries = calls.map(call => ({ call, isCancelled: this.#isTakenBack(call), isExpected: false }))
    for (const entry of entries) this.#running.set(entry.call.id, entry)
    await turnBegun()
    for (const {
      call: { id, name },
    } of entries) {
      tell({ type: 'toolCall', id, name, title: this.#titleOf(name), turn: session.turn })
    }
    // A call that was cancelled while its turn began must not begin to run.
    const wanted = entries.filter(entry => !entry.isCancelled)
    for (const entry of entries) if (entry.isCancelled) this.#neverRan(entry, transport)
    if (wanted.length === 0 || this.#stopped) return
    for (const { call } of wanted) this.#begin(call, filler)
    const responses = await session.executeAll(wanted.map(({ call }) => call))
    const answers = wanted.map((entry, index) => this.#end(entry, responses[index], filler))
    this.#answer(answers, transport, this.#interruptions === asked)
  }

  /** Cancelled between being announced and being run. */
  #isTakenBack({ id }) {
    const { isExpected = false, isCancelled = false } = this.#running.get(id) ?? {}
    return isExpected && isCancelled
  }

  #begin(call, filler) {
    filler.begin(call)
    if (this.#isWrite(call)) this.options.onWrite(call, null)
  }

  #end(entry, response, filler) {
    const { call } = entry
    filler.end(call.id, response)
    if (this.#running.get(call.id) === entry) this.#running.delete(call.id)
    return { ...entry, isCancelled: entry.isCancelled, response }
  }

  #answer(answers, transport, isTurnOpen) {
    // A write that was begun when it was cancelled runs on: what came of it is told when it is known.
    const isUnderWay = ({ call, response }) => isDetached(response) && this.#isWrite(call) && canBeAskedAgain(call)
    const settled = answers.filter(answer => !isUnderWay(answer))
    for (const { call } of answers.filter(isUnderWay)) this.#followUp(call, transport)
    const made = settled.map(answer => this.#settled(answer))
    if (this.#stopped) return
    const inTime = made.filter((_, index) => isTurnOpen && !settled[index].isCancelled)
    const tooLate = made.filter(answer => !inTime.includes(answer))
    if (inTime.length > 0) this.#answerInTime(inTime, transport)
    for (const answer of tooLate) this.#tellLate(answer, transport)
    this.options.onAnswered()
  }

  #answerInTime(answers, transport) {
    const { isCurrent, answerLost, consent } = this.options
    if (isCurrent(transport)) transport.sendToolResults(answers)
    else answerLost(answers)
    for (const { token } of answers) if (token !== undefined) consent.told(token)
  }

  /** Tells the client, and makes the answer that the model gets. */
  #settled({ call, response }) {
    const { consent, onWrite } = this.options
    if (this.#isWrite(call)) onWrite(call, response)
    const answer = { id: call.id, name: call.name, result: response }
    this.report(answer)
    const request = response.error?.confirmation_request
    if (request?.token === undefined) return answer
    const readBack = consent.asked({ ...request, callId: call.id }, call)
    return { ...answer, token: request.token, result: withReadBack(response, readBack) }
  }

  /** The same call once more joins the one that runs, or gets its record: the gate runs nothing twice under one id. */
  async #followUp(call, transport) {
    const response = await this.options.session.execute(call)
    const answer = this.#settled({ call, response })
    if (!this.#stopped) this.#tellLate(answer, transport)
  }

  #tellLate(answer, transport) {
    const { answerLate, withdraw } = this.options
    if (this.#isWrite(answer) && isCommitted(answer.result)) answerLate(answer, transport)
    else withdraw(answer, transport)
  }

  #cancel(id, reason) {
    const entry = this.#running.get(id)
    if (entry !== undefined) entry.isCancelled = true
    this.options.session.cancel(id, reason)
  }

  #neverRan({ call: { id, name } }, transport) {
    this.#running.delete(id)
    const answer = { id, name, result: cancelled({ toolId: name, duration: 0 }) }
    this.report(answer)
    this.options.withdraw(answer, transport)
  }

  #isWrite({ name }) {
    return this.options.metadataOf(name)?.sideEffects === 'writes'
  }

  #titleOf(name) {
    return this.options.metadataOf(name)?.title ?? name
  }
}

/** What is said of a call whose turn was over, where the gate was not asked or its answer is of no use any more. */
export function cancelled(meta) {
  const message = 'the turn was over before it was answered: nothing was changed'
  const error = {
    type: 'CANCELLED',
    message,
    retryable: false,
    partialSideEffects: false,
    details: { outcome: 'aborted' },
  }
  return { ok: false, error, intents: [], meta }
}

function isDetached({ error }) {
  return error?.type === 'CANCELLED' && error.details?.outcome === 'unknown'
}

/** Whether the gate knows the call again by its id in a later turn. Ids that it may take for unstable are left alone. */
function canBeAskedAgain({ id, name }) {
  return id.length > 12 && !id.includes('temp') && !id.includes(name)
}
