// Audio for the fake microphone, and analysis of the received audio.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RATE = 48_000

/** A WAV file with a tone after some silence, which the browser plays again and again. Gives its path. */
export async function writeTone(t, frequency, { silentSeconds = 0, seconds = 5 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-tone-'))
  t.after(() => rm(folder, { recursive: true }))
  const silent = RATE * silentSeconds
  const tone = index => (index < silent ? 0 : 12_000 * Math.sin((2 * Math.PI * frequency * index) / RATE))
  const samples = Int16Array.from({ length: silent + RATE * seconds }, (_, index) => tone(index))
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  const file = join(folder, 'tone.wav')
  await writeFile(file, Buffer.concat([header, Buffer.from(samples.buffer)]))
  return file
}

/** The part of the sound's power that lies at a frequency, 0 to 1 (Goertzel). */
export function shareAt(samples, rate, frequency) {
  const turn = 2 * Math.cos((2 * Math.PI * frequency) / rate)
  let [before, last, total] = [0, 0, 0]
  for (const sample of samples) {
    const next = sample + turn * last - before
    before = last
    last = next
    total += sample * sample
  }
  const power = before * before + last * last - turn * before * last
  return (2 * power) / (samples.length * total)
}

/** PCM 16 of the pieces that a Gemini client sent, one after another, and the rate that it named. */
export function heardBy(simulator) {
  const pieces = simulator.received.map(({ json }) => json?.realtimeInput?.audio).filter(Boolean)
  const bytes = Buffer.concat(pieces.map(({ data }) => Buffer.from(data, 'base64')))
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return { samples, pieces: pieces.length, mimeType: pieces.at(-1)?.mimeType }
}
