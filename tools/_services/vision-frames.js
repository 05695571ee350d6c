// The host service `vision`: the latest frame of each session's screen and webcam, in memory, never on disk.
import { imageInfo } from './image-bytes.js'
import { ServiceError } from './service-errors.js'

export const FRAME_KINDS = Object.freeze(['screen', 'webcam'])

const MOST_BYTES = 2_000_000
const MOST_SESSIONS = 200
const TTL_MS = 600_000
const MOST_SIDE_PIXELS = 8192

/**
 * @typedef {"screen" | "webcam"} FrameKind
 * @typedef {(frame: { kind: FrameKind, bytes: Uint8Array, mediaType: string }) => Promise<string>} FrameAnalyzer
 * @typedef {{ status: 'done' | 'failed' | 'none', text: string | null }} FrameAnalysis
 * @typedef {import('./image-bytes.js').ImageInfo & { bytes: Uint8Array, at: number }} FrameContent
 * @typedef {FrameContent & { analysis?: Promise<FrameAnalysis> }} Frame
 * @typedef {{ at: number, isOff: true }} SwitchedOff
 * @typedef {{ sessions: Map<string, Partial<Record<FrameKind, Frame | SwitchedOff>>>, analyze?: FrameAnalyzer, maxBytes: number,
 *   maxSessions: number, ttlMs: number, now: () => number, timer: NodeJS.Timeout | null }} FrameStore
 */

/**
 * One frame per kind and session: a new one replaces the old. At most 200 sessions; the one with the oldest frame is
 * forgotten first. A frame is forgotten after ten minutes.
 *
 * @param {object} [options]
 * @param {FrameAnalyzer} [options.analyze] describes a frame; runs when a tool looks at a frame for the first time, since a
 *   camera sends many that no tool looks at. A ServiceError is that look's failure, and the next look runs it again
 * @param {number} [options.maxBytes] of a frame
 * @param {number} [options.maxSessions]
 * @param {number} [options.ttlMs]
 * @param {() => number} [options.now] epoch milliseconds
 */
export function createFrameStore(options = {}) {
  const { analyze, maxBytes = MOST_BYTES, maxSessions = MOST_SESSIONS, ttlMs = TTL_MS, now = Date.now } = options
  /** @type {FrameStore} */
  const store = { sessions: new Map(), analyze, maxBytes, maxSessions, ttlMs, now, timer: null }
  return {
    /**
     * @param {string} sessionId @param {"screen" | "webcam"} kind @param {Uint8Array} bytes PNG, JPEG or WebP
     * @returns {{ capturedAt: string, mediaType: string, width: number, height: number, byteLength: number }}
     * @throws {ServiceError} `REJECTED` with `reason` if the bytes are not a valid frame
     */
    put: (sessionId, kind, bytes) => put(store, sessionId, kind, bytes),
    /**
     * Resolves to the frame with its analysis, without its bytes; to `{ isOff: true }` if the user has switched it off; to
     * `null` if no frame has arrived.
     * @param {string} sessionId
     * @param {FrameKind} kind
     * @param {import('./service-types.js').RequestOptions} [given]
     */
    latest: (sessionId, kind, given) => latest(store, sessionId, kind, given),
    /**
     * Forgets the frames of a session, when it ends.
     * @param {string} sessionId
     * @param {FrameKind} [kind]
     */
    clear: (sessionId, kind) => clear(store, sessionId, kind),
    /**
     * Forgets the frame: the user has turned the camera, or the sharing, off.
     * @param {string} sessionId
     * @param {FrameKind} kind
     */
    switchOff: (sessionId, kind) => switchOff(store, sessionId, kind),
  }
}

/** @param {FrameStore} store @param {string} sessionId @param {FrameKind} kind @param {Uint8Array} bytes */
function put(store, sessionId, kind, bytes) {
  if (typeof sessionId !== 'string' || sessionId === '' || sessionId.length > 512) throw rejected('session')
  if (!FRAME_KINDS.includes(kind)) throw rejected('kind')
  if (!(bytes instanceof Uint8Array)) throw rejected('type')
  if (bytes.length > store.maxBytes) throw rejected('size')
  const info = imageInfo(bytes)
  if (info === null) throw rejected('type')
  if (Math.max(info.width, info.height) > MOST_SIDE_PIXELS) throw rejected('dimensions')

  // A copy: the caller may reuse its buffer.
  /** @type {FrameContent} */
  const content = { ...info, bytes: Uint8Array.from(bytes), at: store.now() }
  keep(store, sessionId, { [kind]: content })
  return aboutFrame(content)
}

/** @param {FrameStore} store @param {string} sessionId @param {Partial<Record<FrameKind, Frame | SwitchedOff>>} own */
function keep(store, sessionId, own) {
  const frames = { ...store.sessions.get(sessionId), ...own }
  // The order of the map is the order of the latest frames.
  store.sessions.delete(sessionId)
  store.sessions.set(sessionId, frames)
  forgetOld(store)
  while (store.sessions.size > store.maxSessions) store.sessions.delete(String(store.sessions.keys().next().value))
}

/** Of a session that has had a frame: others are not kept. @param {FrameStore} store @param {string} sessionId @param {FrameKind} kind */
function switchOff(store, sessionId, kind) {
  if (store.sessions.get(sessionId)?.[kind] !== undefined)
    keep(store, sessionId, { [kind]: { at: store.now(), isOff: true } })
}

/** @param {string} reason */
const rejected = reason => new ServiceError('REJECTED', `the frame is refused: ${reason}`, { reason })

/**
 * One analysis for all looks at a frame, unless the service failed.
 * @param {FrameStore} store
 * @param {FrameKind} kind
 * @param {Frame} frame
 */
function analysisOf({ analyze }, kind, frame) {
  const { bytes, mediaType } = frame
  frame.analysis ??= analysis(analyze && (() => analyze({ kind, bytes, mediaType }))).catch(error => {
    frame.analysis = undefined
    throw error
  })
  return frame.analysis
}

/**
 * @param {(() => Promise<string>) | undefined} analyze
 * @returns {Promise<FrameAnalysis>}
 */
async function analysis(analyze) {
  if (analyze === undefined) return { status: 'none', text: null }
  try {
    const text = await analyze()
    return typeof text === 'string' && text.trim() !== '' ? { status: 'done', text } : { status: 'failed', text: null }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return { status: 'failed', text: null }
  }
}

/**
 * @param {FrameStore} store
 * @param {string} sessionId
 * @param {FrameKind} kind
 * @param {import('./service-types.js').RequestOptions} [options]
 */
async function latest(store, sessionId, kind, { signal } = {}) {
  signal?.throwIfAborted()
  forgetOld(store)
  const frame = store.sessions.get(sessionId)?.[kind]
  if (frame === undefined) return null
  if ('isOff' in frame) return { isOff: true }
  const { status, text } = await unlessAborted(analysisOf(store, kind, frame), signal)
  return { ...aboutFrame(frame), ageMs: Math.max(0, store.now() - frame.at), analysisStatus: status, analysis: text }
}

/**
 * Waits for an analysis until the caller's signal aborts.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
async function unlessAborted(promise, signal) {
  if (signal === undefined) return promise
  let stop = () => {}
  /** @type {Promise<never>} */
  const aborted = new Promise((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

/** @param {FrameContent} frame */
function aboutFrame({ at, mediaType, width, height, bytes }) {
  return { capturedAt: new Date(at).toISOString(), mediaType, width, height, byteLength: bytes.length }
}

/** @param {FrameStore} store @param {string} sessionId @param {string} [kind] */
function clear(store, sessionId, kind) {
  const frames = store.sessions.get(sessionId)
  if (frames === undefined) return
  const kept = Object.fromEntries(Object.entries(frames).filter(([own]) => kind !== undefined && own !== kind))
  if (Object.keys(kept).length === 0) store.sessions.delete(sessionId)
  else store.sessions.set(sessionId, kept)
}

/**
 * Runs with each access, and by a timer while there are frames: so an idle process drops old frames too.
 * @param {FrameStore} store
 */
function forgetOld(store) {
  const oldest = store.now() - store.ttlMs
  for (const [sessionId, frames] of store.sessions) {
    for (const [kind, { at }] of Object.entries(frames)) if (at <= oldest) clear(store, sessionId, kind)
  }
  if (store.timer !== null || store.sessions.size === 0) return
  store.timer = setTimeout(() => {
    store.timer = null
    forgetOld(store)
  }, store.ttlMs)
  store.timer.unref()
}
