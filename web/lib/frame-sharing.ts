// Sends frames of the camera or of a shared screen to the server while the user shares them.
import type { FrameKind } from './gate'

const INTERVAL_MS = 2000
/** The longer side of a sent frame, in pixels. */
const LONGEST_SIDE = { webcam: 640, screen: 1600 }
const JPEG_QUALITY = 0.8

export type SharingState = 'off' | 'starting' | 'on' | 'refused'

/** One camera or screen. It is on only between `start` and `stop`, or until the user ends it in the browser. */
export class FrameSharing {
  #stream: MediaStream | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  /** Identifies the latest `start` or `stop`: a permission that is given after a stop must not switch on. */
  #attempt = 0

  constructor(
    readonly kind: FrameKind,
    readonly onState: (state: SharingState) => void,
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
    void sendFrame(video, this.kind)
    this.#timer = setInterval(() => void sendFrame(video, this.kind), INTERVAL_MS)
  }

  /** Ends the stream and makes the server forget the frame. */
  stop(): void {
    this.#attempt += 1
    clearInterval(this.#timer)
    const wasOn = this.#stream !== null
    stopTracks(this.#stream)
    this.#stream = null
    this.onState('off')
    if (wasOn) void fetch(addressOf(this.kind), { method: 'DELETE', keepalive: true }).catch(() => {})
  }
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

/** A frame that can't be sent is left out: the next follows. Before the first message there is no session to take it. */
async function sendFrame(video: HTMLVideoElement, kind: FrameKind): Promise<void> {
  const { videoWidth, videoHeight } = video
  if (videoWidth === 0) return
  const scale = Math.min(1, LONGEST_SIDE[kind] / Math.max(videoWidth, videoHeight))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(videoWidth * scale)
  canvas.height = Math.round(videoHeight * scale)
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY))
  if (!blob) return
  await fetch(addressOf(kind), { method: 'POST', headers: { 'content-type': 'image/jpeg' }, body: blob }).catch(
    () => {},
  )
}
