// The common handler of the two snapshot tools: the latest frame of this session, from the host service `vision`.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'
import { plainText } from './plain-text.js'
import { serviceFailure } from './service-errors.js'
import { unusableAnswer } from './usable-answer.js'

const STATUSES = ['done', 'failed', 'none']
const NEVER_SENT = { screen: 'no picture of the screen has arrived', webcam: 'no picture of the camera has arrived' }
const SWITCHED_OFF = { screen: 'the screen is not shared', webcam: 'the camera is off' }

/** @typedef {import('./vision-frames.js').FrameKind} FrameKind */

/**
 * @param {import('../../index.js').HandlerContext<{ max_age_seconds: number }>} context
 * @param {FrameKind} kind
 * @returns {Promise<import('../../index.js').HandlerResult>}
 */
export async function latestFrame({ args, services, session, signal }, kind) {
  try {
    const frame = await services.vision.latest(session.sessionId, kind, { signal })
    if (frame === null || frame === undefined) return noFrame(kind, NEVER_SENT[kind], { reason: 'no_frame' })
    if (frame.isOff === true) return noFrame(kind, SWITCHED_OFF[kind], { reason: 'switched_off' })
    if (!(frame.ageMs >= 0) || !STATUSES.includes(frame.analysisStatus)) return unusableAnswer('vision service')
    const ageSeconds = Math.round(frame.ageMs / 1000)
    if (frame.ageMs > args.max_age_seconds * 1000) {
      const reason = `the latest frame is ${ageSeconds} seconds old`
      return noFrame(kind, reason, { reason: 'stale', age_seconds: ageSeconds })
    }
    return success(toData(frame, kind, ageSeconds))
  } catch (error) {
    return serviceFailure(error, 'vision service')
  }
}

/** @param {FrameKind} kind @param {string} reason @param {{ reason: string, age_seconds?: number }} details */
function noFrame(kind, reason, details) {
  return failure(ErrorType.NOT_FOUND, `there is no current ${kind} frame of this session: ${reason}`, {
    retryable: false,
    details,
    suggestion: `ask the user to share the ${kind === 'screen' ? 'screen' : 'camera'}, and do not guess what is there`,
  })
}

/**
 * @param {import('./service-types.js').JsonObject} frame of the host's service
 * @param {FrameKind} kind
 * @param {number} ageSeconds
 */
function toData({ capturedAt, mediaType, width, height, analysisStatus, analysis }, kind, ageSeconds) {
  const text = plainText(analysis, 4000)
  return {
    kind,
    captured_at: capturedAt,
    age_seconds: ageSeconds,
    media_type: mediaType,
    width,
    height,
    analysis_status: analysisStatus,
    analysis: text === '' ? null : text,
  }
}
