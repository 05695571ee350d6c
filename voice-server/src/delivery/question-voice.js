// The server asks a question itself, in the host's voice, where the model keeps saying other words: then the user has heard the
// server's own sentence. Without a voice of the host the model is asked once more.
import { randomUUID } from 'node:crypto'
import { askedNote } from './model-notes.js'
import { soundOf } from '../audio/read-aloud.js'

/** How often the model may say other words before the server asks. */
const MOST_REPHRASED = 2
/** 30 seconds of PCM16, 24 kHz, mono. */
const MOST_BYTES = 30_000 * 48

export class QuestionVoice {
  /** The token of the question whose sound is being made. @type {string | null} */
  #making = null

  /** @param {import('../conversation/conversation.js').Conversation} conversation */
  constructor(conversation) {
    this.conversation = conversation
  }

  /**
   * @param {string} token @param {string} readBack
   * @param {{ isOver: () => boolean, onPutOff: () => void, onFailed: () => void }} then `onPutOff`: one of both sides speaks;
   *   `onFailed`: the model must say it
   * @returns {boolean} false if the model is to ask
   */
  ask(token, readBack, then) {
    const { options, confirmations, link } = this.conversation
    const { readAloud } = options.context
    // A duplex link has a question said in the host's voice itself.
    if (readAloud === undefined || link.isDuplex || confirmations.rephrased(token) < MOST_REPHRASED) return false
    if (this.#making !== token) options.guarded(() => this.#ask(token, readBack, readAloud, then))
    return true
  }

  /**
   * @param {string} token @param {string} readBack @param {import('../voice-types.js').ReadAloud} readAloud
   * @param {{ isOver: () => boolean, onPutOff: () => void, onFailed: () => void }} then
   */
  async #ask(token, readBack, readAloud, { isOver, onPutOff, onFailed }) {
    const { options, confirmations } = this.conversation
    this.#making = token
    const sound = await soundOf(readBack, readAloud, { mostBytes: MOST_BYTES }).catch(error => {
      options.context.logger.warn('a question could not be read aloud', { error: String(error?.message ?? error) })
      return null
    })
    this.#making = null
    if (isOver() || confirmations.unasked(token) === null) return
    if (sound === null) onFailed()
    else if (this.conversation.isIdle) this.#play(token, readBack, sound)
    else onPutOff()
  }

  /** @param {string} token @param {string} text @param {Buffer} sound */
  #play(token, text, sound) {
    const { options, confirmations, output, link } = this.conversation
    // The user would not hear it.
    if (options.session.state.get('shouldSuppressAudio')) return
    confirmations.readBackSent(token)
    output.play([{ pcm: sound, item: null }])
    output.caption({ direction: 'output', key: `question:${randomUUID()}`, text, final: true })
    if (link.speaksContext) link.rememberNote(askedNote(text))
    else link.sendContext(askedNote(text))
    confirmations.hear('modelSpoke')
    confirmations.modelSaid(text)
    confirmations.hear('turnCompleted')
  }
}
