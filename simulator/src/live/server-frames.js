// Constructors of the Live service's frames, as plain objects.

import { TONE_RATE, tone } from '../tone.js'

/** @typedef {{ id?: string, name: string, args: unknown }} FunctionCallPart */

export const setupComplete = () => ({ setupComplete: {} })
/** @param {string} text */
export const textPart = text => ({ serverContent: { modelTurn: { parts: [{ text }] } } })
/** @param {FunctionCallPart} functionCall */
export const callPart = functionCall => ({ serverContent: { modelTurn: { parts: [{ functionCall }] } } })
/** @param {string} text */
export const inputTranscription = text => ({ serverContent: { inputTranscription: { text } } })
/** @param {string} text */
export const outputTranscription = text => ({ serverContent: { outputTranscription: { text } } })
export const generationComplete = () => ({ serverContent: { generationComplete: true } })
export const interrupted = () => ({ serverContent: { interrupted: true } })
/** @param {FunctionCallPart[]} functionCalls */
export const toolCall = functionCalls => ({ toolCall: { functionCalls } })
/** @param {string[]} ids */
export const toolCallCancellation = ids => ({ toolCallCancellation: { ids } })
/** @param {string} timeLeft seconds, such as `1.5s` */
export const goAway = timeLeft => ({ goAway: { timeLeft } })
/** @param {{ newHandle?: string, resumable?: boolean }} update */
export const sessionResumptionUpdate = update => ({ sessionResumptionUpdate: update })

/** @param {number} toneMs */
export function audioPart(toneMs) {
  const inlineData = { mimeType: `audio/pcm;rate=${TONE_RATE}`, data: tone(toneMs).toString('base64') }
  return { serverContent: { modelTurn: { parts: [{ inlineData }] } } }
}

/**
 * @param {{ prompt: number, response: number, modality: string }} [tokens] absent after an interruption
 */
export function turnComplete(tokens) {
  const frame = { serverContent: { turnComplete: true } }
  if (tokens === undefined) return frame
  const usageMetadata = {
    promptTokenCount: tokens.prompt,
    responseTokenCount: tokens.response,
    totalTokenCount: tokens.prompt + tokens.response,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens.prompt }],
    responseTokensDetails: [{ modality: tokens.modality, tokenCount: tokens.response }],
  }
  return { ...frame, usageMetadata }
}
