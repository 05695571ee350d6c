// PCM16 audio as numbers.

/**
 * The samples of a buffer, which may start at an odd address. Node runs on little-endian machines only.
 * @param {Buffer} pcm
 */
export function samplesOf(pcm) {
  const aligned = pcm.byteOffset % 2 === 0 ? pcm : Buffer.from(new Uint8Array(pcm).buffer)
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.length >> 1)
}
