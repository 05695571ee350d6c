// Reads what a Gemini Live message holds besides tool calls. A message may hold anything; what is not understood is
// not there.
import frameReading from 'toolgate/transports/frame-reading.js'

const { recordOf, listOf, textOf } = frameReading

export class GeminiReader {
  #inputIsOpen = false

  /** @param {import('../speech-ear.js').SpeechEar} ear that hears what the model hears */
  constructor(ear) {
    this.ear = ear
  }

  /**
   * @param {unknown} message
   * @returns {Omit<import('./provider-link.js').Heard, 'userSpoke' | 'beginsTurn' | 'resumable'> & { handle: string | null }}
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
      // The service does not say when the user's words are all there: the model's first word says it.
      pieces: [
        ...this.#input(input, modelSpoke || turnComplete),
        ...output(content, spoken, interrupted || turnComplete),
      ],
      modelSpoke,
      interrupted,
      turnComplete,
      handle: recordOf(update).resumable === true ? textOf(recordOf(update).newHandle) : null,
      goAway: typeof goAway === 'object' && goAway !== null,
    }
  }

  #input({ text: said, finished }, isOver) {
    const text = textOf(said)
    this.#inputIsOpen ||= text !== null
    if (!this.#inputIsOpen) return []
    const final = isOver || finished === true
    if (text === null && !final) return []
    this.#inputIsOpen = !final
    return [
      { direction: 'input', key: null, text: text ?? '', final, ...(final ? { startMs: this.ear.takeStart() } : {}) },
    ]
  }
}

function output(content, spoken, final) {
  const text = textOf(recordOf(content.outputTranscription).text) ?? writtenOf(spoken)
  return text === null && !final ? [] : [{ direction: 'output', key: null, text: text ?? '', final }]
}

function audioOf({ inlineData }) {
  const { data, mimeType } = recordOf(inlineData)
  const isAudio = typeof mimeType === 'string' && mimeType.startsWith('audio/')
  return isAudio && typeof data === 'string' && data !== '' ? { pcm: Buffer.from(data, 'base64'), item: null } : null
}

/** A model that writes instead of speaking; its thoughts are not for the user. */
function writtenOf(parts) {
  return textOf(parts.map(({ text, thought }) => (thought === true ? '' : (textOf(text) ?? ''))).join(''))
}
