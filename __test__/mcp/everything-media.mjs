// Smallest files of their kinds, as MCP sends them.

/** A picture of one point. */
export const IMAGE = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
}

/** A sound without samples. */
const SILENCE = Buffer.alloc(44)
SILENCE.write('RIFF', 0)
SILENCE.writeUInt32LE(36, 4)
SILENCE.write('WAVEfmt ', 8)
SILENCE.writeUInt32LE(16, 16)
SILENCE.writeUInt16LE(1, 20)
SILENCE.writeUInt16LE(1, 22)
SILENCE.writeUInt32LE(8000, 24)
SILENCE.writeUInt32LE(8000, 28)
SILENCE.writeUInt16LE(1, 32)
SILENCE.writeUInt16LE(8, 34)
SILENCE.write('data', 36)
export const AUDIO = { data: SILENCE.toString('base64'), mimeType: 'audio/wav' }

export const text = value => ({ type: 'text', text: value })
export const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } })
