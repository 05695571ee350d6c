// The windows in which a spoken utterance counts as the answer to a read-back. One opens when the model has said the
// read-back, completed its turn and the client has played it but for the fading of its last word. It closes when the model
// speaks again; if it says the read-back again, another one opens. A key answers as long as nothing else was asked since.
import { asksSomething } from './read-back-phrases.js'

/** How much of the read-back may still be to play when a yes begins. */
const FADE_MS = 200
/** Characters of the model's words that are kept: a speech ends with the read-back if it contains one. */
const MOST_SAID = 8000
/** Windows that are kept: the transcript of an answer may come after the model has gone on. */
const MOST_WINDOWS = 4

export class AnswerWindow {
  #isReadBackSent = false
  /** What the model said since it got the read-back, or since a turn without it. */
  #said = ''
  /** The model has said the read-back, and its audio is played. */
  #isPlaying = false
  /** The read-back was said, and nothing was asked since. */
  #isAsked = false
  /** Another question was shown after this one was asked. */
  #isOvertaken = false
  /** The model's next words are to be the read-back. */
  #isDue = false
  /** How often they were others. */
  #rephrased = 0
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  /**
   * Positions in the user's audio, the newest last. `to` is Infinity while a window is open.
   * @type {{ from: number, to: number }[]}
   */
  #windows = []

  /**
   * @param {{ remainingMs(): number, inputMs(): number }} conversation audio not yet played, audio received, in ms
   * @param {(said: string) => boolean} isReadBack whether the model's words are the question's read-back
   */
  constructor(conversation, isReadBack) {
    this.conversation = conversation
    this.isReadBack = isReadBack
  }

  get isReadBackSent() {
    return this.#isReadBackSent
  }

  /** Whether the model got the read-back and has not said it. */
  get isOwed() {
    return this.#isReadBackSent && !this.#isPlaying && this.#windows.length === 0
  }

  /** Whether the question is the last thing that was asked; its read-back may still be playing. */
  get isAsked() {
    if (this.#isOvertaken) return false
    return this.isReadBack(this.#said) || (this.#isAsked && !asksSomething(this.#said))
  }

  /** How often the model got the read-back and said something else. */
  get rephrased() {
    return this.#rephrased
  }

  /** Whether an utterance that begins now is an answer. */
  get isOpen() {
    return this.#windows.at(-1)?.to === Infinity
  }

  readBackSent() {
    this.#isReadBackSent = true
    this.#isDue = true
    this.#isAsked = this.isAsked
    this.#isOvertaken = false
    this.#forget()
  }

  /** Another question is shown: a key could be meant for it. */
  otherShown() {
    this.#isOvertaken ||= this.isAsked
  }

  /** @param {string} text that the model said and the client gets to hear */
  modelSaid(text) {
    if (this.#isReadBackSent) this.#said = (this.#said + text).slice(-MOST_SAID)
  }

  /** The model's turn is complete; its audio may still be playing. */
  turnCompleted() {
    if (!this.#isReadBackSent) return
    this.#isAsked = this.isAsked
    this.#isPlaying = this.isReadBack(this.#said)
    if (this.#isDue && this.#said.trim() !== '') {
      if (!this.#isPlaying) this.#rephrased += 1
      this.#isDue = false
    }
    if (this.#isPlaying) this.#waitForPlayback()
    else this.#forget()
  }

  /** The client reported its playback position. */
  played() {
    if (this.#isPlaying) this.#waitForPlayback()
  }

  /** What is said now follows the read-back: at the end of the turn it is read as a whole. */
  modelSpoke() {
    this.stop()
    this.#isPlaying = false
    const open = this.#windows.at(-1)
    if (open?.to === Infinity) open.to = this.conversation.inputMs()
  }

  /** A barge-in before the window opened cancels it; afterwards the read-back has been heard. */
  interrupted() {
    this.#isAsked = this.isAsked && !this.#isPlaying && !this.isReadBack(this.#said)
    this.#forget()
  }

  /** @param {number | null} startMs of an utterance, in the user's audio */
  contains(startMs) {
    return startMs !== null && this.#windows.some(({ from, to }) => startMs >= from && startMs < to)
  }

  stop() {
    clearTimeout(this.#timer ?? undefined)
    this.#timer = null
  }

  #waitForPlayback() {
    this.stop()
    const left = this.conversation.remainingMs() - FADE_MS
    if (left > 0) this.#timer = setTimeout(() => this.#waitForPlayback(), Math.ceil(left))
    else this.#open()
  }

  /** A position and not a time: a client may send audio only while it speaks. */
  #open() {
    this.#windows = [...this.#windows, { from: this.conversation.inputMs(), to: Infinity }].slice(-MOST_WINDOWS)
    this.#forget()
  }

  #forget() {
    this.stop()
    this.#said = ''
    this.#isPlaying = false
  }
}
