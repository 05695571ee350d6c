// What the server itself lets the user hear and see while the model cannot: audible lines, that the model thinks, and that an
// answer is incomplete.
import { audibleLine } from '../audio/audible-line.js'
import { Thinking } from './thinking.js'

export class ServerLines {
  /**
   * @param {object} options
   * @param {Pick<import('../connection/server-context.js').ServerContext, 'lines' | 'limits'>} options.context
   * @param {import('toolgate').Session} options.session
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame
   * @param {(pcm: Buffer) => void} options.play PCM16, 24 kHz, mono
   * @param {() => boolean} options.isQuiet whether neither the model nor the user speaks
   */
  constructor(options) {
    this.options = options
    const { limits } = options.context
    this.thinking = new Thinking({
      afterMs: limits.thinkingMs,
      repeatMs: limits.thinkingRepeatMs,
      isQuiet: options.isQuiet,
      show: active => options.sendFrame({ type: 'thinking', active, turn: options.session.turn }),
      sayLine: () => this.say('thinking'),
    })
  }

  /** @param {import('../audio/audible-line.js').LineKind} kind */
  say(kind) {
    const { sendFrame, play, context } = this.options
    const line = audibleLine(kind, context.lines)
    // That the connection is restored is worth a frame without a sound; that the model thinks has its own.
    if (line !== null || kind === 'reconnecting') sendFrame({ type: 'line', kind, text: line?.text ?? null })
    if (line?.pcm) play(line.pcm)
  }

  /** @param {'empty' | 'cut' | 'failed'} reason */
  answerIncomplete(reason) {
    const { sendFrame, session } = this.options
    sendFrame({ type: 'answerIncomplete', reason, turn: session.turn })
  }
}
