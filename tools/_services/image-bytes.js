// Detects an image's type and size in pixels by its first bytes. Names and declared types are not trusted.

/** @param {Buffer} bytes @param {number} start @param {number} end */
const ascii = (bytes, start, end) => bytes.toString('latin1', start, end)

/**
 * @typedef {{ mediaType: "image/png" | "image/jpeg" | "image/webp", width: number, height: number }} ImageInfo
 * @param {Uint8Array} bytes
 * @returns {ImageInfo | null} `null` for anything else, and for an image whose size can't be read
 */
export function imageInfo(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const info = pngInfo(buffer) ?? jpegInfo(buffer) ?? webpInfo(buffer)
  return info !== null && info.width > 0 && info.height > 0 ? info : null
}

/** PNG, third edition, 5.2 and 11.2.1: the signature, then IHDR. @param {Buffer} bytes @returns {ImageInfo | null} */
function pngInfo(bytes) {
  if (bytes.length < 33 || ascii(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(bytes, 12, 16) !== 'IHDR') return null
  return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Start-of-frame markers, without DHT (C4), JPG (C8) and DAC (CC). @param {number} marker */
const isFrame = marker => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** ITU-T T.81, annex B: segments up to the first start of frame. @param {Buffer} bytes @returns {ImageInfo | null} */
function jpegInfo(bytes) {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrame(marker)) {
      return { mediaType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return null
}

/** RFC 9649, 2: RIFF with a VP8, VP8L or VP8X chunk first. @param {Buffer} bytes @returns {ImageInfo | null} */
function webpInfo(bytes) {
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return null
  const size = webpSizes[ascii(bytes, 12, 16)]?.(bytes)
  return size === undefined ? null : { mediaType: 'image/webp', ...size }
}

/** @type {Record<string, (bytes: Buffer) => { width: number, height: number }>} */
const webpSizes = {
  'VP8 ': bytes => ({ width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }),
  VP8L: bytes => {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: bytes => ({ width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }),
}
