// Reads what a Gemini Live message holds besides tool calls. A message may hold anything; what is not understood is
// not there.
import frameReading from 'toolgate/transports/frame-reading.js'

const { recordOf, listOf, textOf } = frameReading

/**
 * @typedef {object} LiveContent
 * @property {Buffer[]} audio PCM16, 24 kHz
 * @property {string | null} input what the user was heard to say
 * @property {string | null} output what the model says
 * @property {boolean} modelSpoke
 * @property {boolean} interrupted
 * @property {boolean} turnComplete
 * @property {string | null} handle a new resumption handle
 * @property {boolean} goAway the service will close this connection soon
 */

/** @param {unknown} message @returns {LiveContent} */
export function readLiveContent(message) {
  const { serverContent, sessionResumptionUpdate: update, goAway, toolCall } = recordOf(message)
  const content = recordOf(serverContent)
  const spoken = listOf(recordOf(content.modelTurn).parts).map(recordOf)
  return {
    audio: spoken.map(audioOf).filter((chunk) => chunk !== null),
    input: textOf(recordOf(content.inputTranscription).text),
    output: textOf(recordOf(content.outputTranscription).text) ?? writtenOf(spoken),
    modelSpoke: spoken.length > 0 || content.outputTranscription !== undefined || toolCall !== undefined,
    interrupted: content.interrupted === true,
    turnComplete: content.turnComplete === true,
    handle: recordOf(update).resumable === true ? textOf(recordOf(update).newHandle) : null,
    goAway: typeof goAway === 'object' && goAway !== null,
  }
}

function audioOf({ inlineData }) {
  const { data, mimeType } = recordOf(inlineData)
  const isAudio = typeof mimeType === 'string' && mimeType.startsWith('audio/')
  return isAudio && typeof data === 'string' && data !== '' ? Buffer.from(data, 'base64') : null
}

/** A model that writes instead of speaking; its thoughts are not for the user. */
function writtenOf(parts) {
  return textOf(parts.map(({ text, thought }) => (thought === true ? '' : textOf(text) ?? '')).join(''))
}
