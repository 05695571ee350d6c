// Sends frames of the camera or of a shared screen while the user shares them: to the web app for the chat's tools, and to the
// voice server for those of a call.
import type { FrameKind } from 'toolgate-react/parts'

const INTERVAL_MS = 2000
/** The longer side of a sent frame, in pixels. */
const LONGEST_SIDE = { webcam: 640, screen: 1600 }
/** The first one that makes a frame small enough is used. */
const JPEG_QUALITIES = [0.8, 0.5, 0.3]
/** In base64 a frame must fit into one of the voice server's, 256 KiB. */
const MOST_BYTES = 190_000

export type SharingState = 'off' | 'starting' | 'on' | 'refused'

/** Takes each frame, and `null` once the user shares no more. */
export type FrameTaker = (kind: FrameKind, frame: Blob | null) => unknown

/** One camera or screen. It is on only between `start` and `stop`, or until the user ends it in the browser. */
export class FrameSharing {
  #stream: MediaStream | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  /** Identifies the latest `start` or `stop`: a permission that is given after a stop must not switch on. */
  #attempt = 0

  constructor(
    readonly kind: FrameKind,
    readonly onState: (state: SharingState) => void,
    readonly takers: readonly FrameTaker[],
  ) {}

  async start(): Promise<void> {
    const attempt = (this.#attempt += 1)
    this.onState('starting')
    const stream = await openStream(this.kind).catch(() => null)
    if (attempt !== this.#attempt) return stopTracks(stream)
    if (!stream) return this.onState('refused')
    this.#stream = stream
    const video = document.createElement('video')
    video.muted = true
    video.srcObject = stream
    // The browser's own button ends the stream too.
    for (const track of stream.getTracks()) track.addEventListener('ended', () => this.stop())
    await video.play().catch(() => {})
    if (attempt !== this.#attempt) return
    this.onState('on')
    void this.#share(video)
    this.#timer = setInterval(() => void this.#share(video), INTERVAL_MS)
  }

  /** Ends the stream and makes the server forget the frame. */
  stop(): void {
    this.#attempt += 1
    clearInterval(this.#timer)
    const wasOn = this.#stream !== null
    stopTracks(this.#stream)
    this.#stream = null
    this.onState('off')
    if (wasOn) for (const take of this.takers) take(this.kind, null)
  }

  async #share(video: HTMLVideoElement): Promise<void> {
    const attempt = this.#attempt
    const frame = await frameOf(video, this.kind)
    // A frame that was drawn before the user stopped must not follow the stop.
    if (frame && attempt === this.#attempt) for (const take of this.takers) take(this.kind, frame)
  }
}

/**
 * Takes frames for the chat. A frame that can't be sent is left out: the next follows. Before the first message there is no session
 * to take it.
 */
export const sendToApp: FrameTaker = (kind, frame) => {
  const init = frame
    ? { method: 'POST', headers: { 'content-type': 'image/jpeg' }, body: frame }
    : { method: 'DELETE', keepalive: true }
  return fetch(addressOf(kind), init).catch(() => {})
}

const addressOf = (kind: FrameKind) => `/api/tools/webcam?kind=${kind}`

function openStream(kind: FrameKind): Promise<MediaStream> {
  return kind === 'webcam'
    ? navigator.mediaDevices.getUserMedia({ video: { width: 640 }, audio: false })
    : navigator.mediaDevices.getDisplayMedia({ video: true, audio: false })
}

function stopTracks(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

async function frameOf(video: HTMLVideoElement, kind: FrameKind): Promise<Blob | null> {
  const { videoWidth, videoHeight } = video
  if (videoWidth === 0) return null
  const scale = Math.min(1, LONGEST_SIDE[kind] / Math.max(videoWidth, videoHeight))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(videoWidth * scale)
  canvas.height = Math.round(videoHeight * scale)
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
  for (const quality of JPEG_QUALITIES) {
    const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/jpeg', quality))
    if (blob && blob.size <= MOST_BYTES) return blob
  }
  return null
}
