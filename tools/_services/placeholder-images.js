// A generator of placeholder images for demonstrations: an SVG with the prompt on it, labelled as a placeholder.

/** @type {Record<import('./image-service.js').ImageRequest['size'], [width: number, height: number]>} */
const SIZES = { square: [1024, 1024], landscape: [1536, 1024], portrait: [1024, 1536] }
const LINE_CHARACTERS = 40
const MOST_LINES = 8

/** @returns {import('./image-service.js').ImageGenerator} */
export function createPlaceholderImages() {
  return {
    async generate(
      { prompt, size },
      { signal } = /** @type {{ idempotencyKey: string, signal?: AbortSignal }} */ ({}),
    ) {
      signal?.throwIfAborted()
      const [width, height] = SIZES[size] ?? SIZES.square
      const bytes = Buffer.from(svgOf(prompt, width, height), 'utf8')
      return { bytes, mediaType: 'image/svg+xml', width, height, model: 'toolgate-placeholder', simulated: true }
    },
  }
}

/** @param {string} prompt @param {number} width @param {number} height */
function svgOf(prompt, width, height) {
  const lines = linesOf(prompt).map(
    (line, at) => `<text x="${width / 2}" y="${height / 2 - 120 + at * 48}" font-size="36">${escaped(line)}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<rect width="100%" height="100%" fill="#e5e7eb"/>',
    '<g font-family="sans-serif" text-anchor="middle" fill="#374151">',
    `<text x="${width / 2}" y="100" font-size="44">Placeholder, not a generated image</text>`,
    ...lines,
    '</g></svg>',
  ].join('\n')
}

/** Splits by characters, because some scripts have no spaces. @param {string} prompt */
function linesOf(prompt) {
  const characters = [...prompt.replaceAll(/\s+/g, ' ')]
  const starts = Array.from(
    { length: Math.min(MOST_LINES, Math.ceil(characters.length / LINE_CHARACTERS)) },
    (_, at) => at,
  )
  return starts.map(at => characters.slice(at * LINE_CHARACTERS, (at + 1) * LINE_CHARACTERS).join(''))
}

/** XML allows no control characters and no lone surrogates, not even escaped. @param {string} text */
const escaped = text =>
  text
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f\ufffe\uffff]/g, '')
    .replaceAll(/[<>&"']/g, character => `&#${character.charCodeAt(0)};`)
