// Work that the model hands to the host: `delegate` does it, its calls pass the gate, and its answer is spoken. Each work is answered
// once: with what the host returns, or with why there is nothing. What a model can ask for is bounded.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { TokenBucket, messageOf } from 'toolgate/http'
import { delegatedTexts } from './delegated-texts.js'
import { brokenOffNote } from '../delivery/model-notes.js'
import { watchedSession } from './watched-session.js'

/** Work at one time. */
const MOST_RUNNING = 8
/** How many refused works are answered and logged in a second. */
const REFUSALS_PER_SECOND = 1
const TOO_MUCH = '[Too much was asked for at once: the last request is not worked on.]'
const NOTHING_NEW = '[Nothing new was asked for.]'
const AN_ANSWER = '[The user has answered the question of the application, which sees to it.]'
const LATE = Symbol('late')

/**
 * @typedef {import('../voice-types.js').Channel} Channel
 * @typedef {{ id: string, channel: Channel | null, transcript: string, writes: Set<string>, abort: AbortController,
 *   held: import('toolgate').HeldResult[], timer?: NodeJS.Timeout }} Work `channel`: that it came on; null: the user typed it.
 *   `writes`: tools that have changed something; `held`: their results
 */

export class Delegations {
  /** @type {Set<Work>} */
  #running = new Set()
  #stopped = false

  /**
   * @param {object} options
   * @param {import('../connection/server-context.js').ServerContext} options.context with `delegate`
   * @param {import('toolgate').Session} options.session
   * @param {import('./conversation.js').Conversation} options.conversation
   * @param {import('../voice-types.js').MetadataOf} options.metadataOf
   * @param {string} options.connectionId
   * @param {import('../voice-types.js').Guarded} options.guarded
   */
  constructor(options) {
    this.options = options
    const { delegationsPerSecond: perSecond } = options.context.limits
    this.admission = new TokenBucket({ perSecond, burst: perSecond * 4 })
    this.refusals = new TokenBucket({ perSecond: REFUSALS_PER_SECOND, burst: REFUSALS_PER_SECOND })
  }

  get isBusy() {
    return this.#running.size > 0
  }

  /** @param {{ id: string, transcript: string }[]} delegations @param {Channel} channel that they came on */
  receive(delegations, channel) {
    for (const { id, transcript } of delegations) {
      if (this.#running.size < MOST_RUNNING && this.admission.take(1))
        this.#begin(this.#workOf(id, channel, transcript))
      else this.#refuse(id, channel)
    }
  }

  /** @param {string} text that the user typed */
  typed(text) {
    const id = `typed_${randomUUID()}`
    if (this.#running.size < MOST_RUNNING) this.#begin(this.#workOf(id, null, text))
    else this.#refuse(id, null)
  }

  /** The user left: what still comes is kept for their return. */
  stop() {
    this.#stopped = true
    for (const { abort, timer } of this.#running) {
      abort.abort(new Error('the user has left'))
      timer?.unref()
    }
  }

  /** @param {string} id @param {Channel | null} channel @param {string} transcript so far @returns {Work} */
  #workOf(id, channel, transcript) {
    return { id, channel, transcript, writes: new Set(), held: [], abort: new AbortController() }
  }

  /** @param {string} id @param {Channel | null} channel */
  #refuse(id, channel) {
    if (!this.refusals.take(1)) return
    const { context, conversation, connectionId: connection } = this.options
    context.logger.warn('work of the model was refused, it asks for too much at once', { connection })
    const texts = channel === null ? { commentary: TOO_MUCH } : { thinking: TOO_MUCH }
    conversation.delivery.answerDelegation({ id, transcript: '', ...texts }, channel)
  }

  /** @param {Work} work */
  #begin(work) {
    this.#running.add(work)
    this.options.guarded(() => this.#do(work))
  }

  /** @param {Work} work */
  async #do(work) {
    const { conversation } = this.options
    const { thinking } = conversation.lines
    thinking.begin(work.id)
    try {
      const texts = await this.#textsOf(work)
      const { id, transcript, channel } = work
      // Before the work is over, so that what waits for rest waits for the words about it.
      conversation.delivery.answerDelegation({ id, transcript, held: work.held, ...texts }, channel)
    } finally {
      this.#running.delete(work)
      thinking.end(work.id)
    }
  }

  /** @param {Work} work @returns {Promise<{ commentary?: string, thinking?: string }>} */
  async #textsOf(work) {
    const { context, conversation, connectionId: connection } = this.options
    try {
      if (work.channel !== null) {
        // The last words may be transcribed after the delegation.
        await delay(context.limits.delegationSettleMs)
        work.transcript = work.channel.transport.transcriptOf?.(work.id) || work.transcript
        if (work.transcript === '') return { thinking: NOTHING_NEW }
        // The application hears it itself: the agent would do, or say, it again.
        if (conversation.confirmations.isAnswer(work.transcript)) return { thinking: AN_ANSWER }
        if (this.#stopped) return { commentary: brokenOffNote('left', []) }
        await conversation.gateTurns.begin(`delegation:${work.id}`)
      }
      const answer = await this.#answerOf(work)
      if (answer === LATE) return { commentary: brokenOffNote('late', [...work.writes]) }
      return delegatedTexts(answer, { isSpoken: work.channel === null })
    } catch (error) {
      const why = this.#stopped ? 'left' : 'failed'
      context.logger.warn('the host did not do what the model asked for', { connection, why, error: messageOf(error) })
      return { commentary: brokenOffNote(why, [...work.writes]) }
    }
  }

  /** @param {Work} work @returns {Promise<unknown>} what `delegate` returns in time, else `LATE` */
  async #answerOf(work) {
    const { context, conversation } = this.options
    const { delegate, limits } = context
    const { signal } = work.abort
    const session = watchedSession(this.options.session, (calls, options) => this.#execute(work, calls, options))
    const late = new Promise(resolve => {
      work.timer = setTimeout(resolve, limits.delegationTimeoutMs, LATE)
      if (this.#stopped) work.timer.unref()
    })
    const { id, transcript } = work
    const asked = { id, transcript, conversation: conversation.link.heardLines ?? [], session, signal }
    try {
      return await Promise.race([Promise.resolve().then(() => delegate?.(asked)), late])
    } finally {
      clearTimeout(work.timer)
      // Whatever of it still runs is of no use.
      work.abort.abort(new Error('the work is over'))
    }
  }

  /**
   * @param {Work} work
   * @param {import('toolgate').ToolCall[]} calls
   * @param {import('toolgate').CallerOptions} [options]
   */
  async #execute(work, calls, options) {
    const { conversation, metadataOf } = this.options
    const answers = await conversation.runner.execute(calls, options)
    const responses = answers.map(({ result }) => result)
    work.held.push(...answers.flatMap(({ held }) => held ?? []))
    for (const response of responses) {
      const { toolId } = response.meta
      const isCommitted = response.ok || response.error.partialSideEffects
      if (isCommitted && metadataOf(toolId)?.sideEffects === 'writes') work.writes.add(toolId)
    }
    return responses
  }
}
