// Parses a Gemini Live message except for its tool calls. Malformed and unknown members are ignored.
import frameReading from 'toolgate/transports/shared/frame-reading.js'

const { recordOf, listOf, textOf } = frameReading
/** Of a `goAway` that does not say it. */
const DEFAULT_TIME_LEFT_MS = 10_000

/** @typedef {import('../provider-link.js').TranscriptPiece} TranscriptPiece */

export class GeminiReader {
  #inputIsOpen = false

  /**
   * @param {import('../../audio/voice-activity-detector.js').VoiceActivityDetector} voiceActivity of the audio sent to the model
   */
  constructor(voiceActivity) {
    this.voiceActivity = voiceActivity
  }

  /**
   * @param {unknown} message
   * @returns {Omit<import('../provider-link.js').ParsedMessage, 'userSpoke' | 'utterance' | 'userStopped' | 'speechStopped' | 'problem' | 'beginsTurn' | 'resumable' | 'receipts' | 'refused'> & { handle:
   *   string | null, hasCalls: boolean }}
   */
  read(message) {
    const { serverContent, sessionResumptionUpdate: update, goAway, toolCall } = recordOf(message)
    const content = recordOf(serverContent)
    const spoken = listOf(recordOf(content.modelTurn).parts).map(recordOf)
    const [interrupted, turnComplete] = [content.interrupted === true, content.turnComplete === true]
    const modelSpoke = spoken.length > 0 || content.outputTranscription !== undefined || toolCall !== undefined
    const input = recordOf(content.inputTranscription)
    return {
      audio: spoken.map(audioOf).filter(chunk => chunk !== null),
      // The service does not mark the end of the user's transcript: the model's first output does.
      pieces: [
        ...this.#input(input, modelSpoke || turnComplete),
        ...output(content, spoken, interrupted || turnComplete),
      ],
      modelSpoke,
      hasCalls: toolCall !== undefined,
      interrupted,
      turnComplete,
      handle: recordOf(update).resumable === true ? textOf(recordOf(update).newHandle) : null,
      goAwayMs: typeof goAway === 'object' && goAway !== null ? timeLeftOf(recordOf(goAway)) : null,
    }
  }

  /** @param {Record<string, unknown>} transcription @param {boolean} isOver @returns {TranscriptPiece[]} */
  #input({ text: said, finished }, isOver) {
    const text = textOf(said)
    this.#inputIsOpen ||= text !== null
    if (!this.#inputIsOpen) return []
    const final = isOver || finished === true
    if (text === null && !final) return []
    this.#inputIsOpen = !final
    return [
      {
        direction: 'input',
        key: null,
        text: text ?? '',
        final,
        ...(final ? { startMs: this.voiceActivity.takeSpeechStart() } : {}),
      },
    ]
  }
}

/**
 * @param {Record<string, unknown>} content
 * @param {Record<string, unknown>[]} spoken
 * @param {boolean} final
 * @returns {TranscriptPiece[]}
 */
function output(content, spoken, final) {
  const text = textOf(recordOf(content.outputTranscription).text) ?? writtenOf(spoken)
  return text === null && !final ? [] : [{ direction: 'output', key: null, text: text ?? '', final }]
}

/** The time of a `goAway`, which is written as `1.5s`, in milliseconds. @param {Record<string, unknown>} goAway */
function timeLeftOf({ timeLeft }) {
  const [, seconds] = /^(\d{1,6}(?:\.\d+)?)s$/.exec(String(timeLeft)) ?? []
  return seconds === undefined ? DEFAULT_TIME_LEFT_MS : Number(seconds) * 1000
}

/** @param {Record<string, unknown>} part */
function audioOf({ inlineData }) {
  const { data, mimeType } = recordOf(inlineData)
  const isAudio = typeof mimeType === 'string' && mimeType.startsWith('audio/')
  return isAudio && typeof data === 'string' && data !== '' ? { pcm: Buffer.from(data, 'base64'), item: null } : null
}

/** Text of a model that answers in text, without its thoughts. @param {Record<string, unknown>[]} parts */
function writtenOf(parts) {
  return textOf(parts.map(({ text, thought }) => (thought === true ? '' : (textOf(text) ?? ''))).join(''))
}
