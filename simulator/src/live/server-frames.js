// Constructors of the Live service's frames, as plain objects.

import { TONE_RATE, tone } from '../tone.js'

export const setupComplete = () => ({ setupComplete: {} })
export const textPart = text => ({ serverContent: { modelTurn: { parts: [{ text }] } } })
export const callPart = functionCall => ({ serverContent: { modelTurn: { parts: [{ functionCall }] } } })
export const inputTranscription = text => ({ serverContent: { inputTranscription: { text } } })
export const outputTranscription = text => ({ serverContent: { outputTranscription: { text } } })
export const generationComplete = () => ({ serverContent: { generationComplete: true } })
export const interrupted = () => ({ serverContent: { interrupted: true } })
export const toolCall = functionCalls => ({ toolCall: { functionCalls } })
export const toolCallCancellation = ids => ({ toolCallCancellation: { ids } })
export const goAway = timeLeft => ({ goAway: { timeLeft } })
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
