// Beginnings of image files, as long as their headers: nothing decodes them.

export function png(width = 640, height = 480, size = 64) {
  const bytes = Buffer.alloc(size)
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

export function jpeg(width = 640, height = 480) {
  const app0 = Buffer.from([0xff, 0xe0, 0, 4, 0, 0, 0xff])
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app0, frame])
}

export function webp(chunk, width = 640, height = 480) {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 0, 'latin1')
  bytes.write(`WEBP${chunk}`, 8, 'latin1')
  if (chunk === 'VP8 ') {
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  if (chunk === 'VP8L') bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  if (chunk === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  }
  return bytes
}
