// The host service `image` over an image generator: each idempotency key generates and stores one image.
import { createHash, randomUUID } from 'node:crypto'

import { imageInfo } from './image-bytes.js'
import { ServiceError } from './service-errors.js'

const MOST_IMAGES = 50
const MOST_BYTES = 20_000_000

/**
 * @typedef {object} ImageGenerator
 * @property {(request: { prompt: string, size: "square" | "landscape" | "portrait" }, options: { idempotencyKey:
 *   string, signal?: AbortSignal }) => Promise<{ bytes: Uint8Array, mediaType?: string, model: string, simulated?:
 *   boolean }>} generate
 */

/**
 * Keeps at most `mostImages` in memory, the latest; nothing is written to disk. Calls with the same key share one
 * generation, also while it runs; a failed one is forgotten, so that the key can be tried again.
 *
 * @param {ImageGenerator} generator such as `createOpenAiImages` makes
 * @param {{ urlOf?: (id: string) => string, mostImages?: number }} [options] `urlOf`: the URL at which the host serves
 *   an image
 * @returns an `image` service: `generate(request, { idempotencyKey, signal }) -> { id, url, mediaType, byteLength,
 *   width, height, model, simulated }`, and for the host `get(id) -> { bytes, mediaType } | null`
 */
export function createImageService(generator, { urlOf = () => null, mostImages = MOST_IMAGES } = {}) {
  const images = new Map()
  const running = new Map()

  async function make(id, request, options) {
    const image = checkedImage(await generator.generate(request, options))
    images.set(id, image)
    while (images.size > mostImages) images.delete(images.keys().next().value)
    return image
  }

  return {
    async generate(request, { idempotencyKey = randomUUID(), signal } = {}) {
      signal?.throwIfAborted()
      const id = imageIdOf(idempotencyKey)
      let image = images.get(id)
      if (image === undefined) {
        if (!running.has(id)) {
          const made = make(id, request, { idempotencyKey, signal }).finally(() => running.delete(id))
          running.set(id, made)
        }
        image = await running.get(id)
      }
      const { bytes, ...about } = image
      return { id, url: urlOf(id), byteLength: bytes.length, ...about }
    },
    get: id => (images.has(id) ? { bytes: images.get(id).bytes, mediaType: images.get(id).mediaType } : null),
  }
}

/** A hash, not the key itself, because the id is public. */
const imageIdOf = key => `img_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`

function checkedImage({ bytes, mediaType, model, simulated = false, width = null, height = null }) {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || bytes.length > MOST_BYTES) {
    throw new ServiceError('UNAVAILABLE', 'the answer has no image of a usable size')
  }
  // Only a local generator may declare its type (SVG); the type of a provider's image is detected by its bytes.
  if (simulated && mediaType === 'image/svg+xml') return { bytes, mediaType, width, height, model, simulated }
  const info = imageInfo(bytes)
  if (info === null) throw new ServiceError('UNAVAILABLE', 'the answer is no PNG, JPEG or WebP image')
  return { bytes, ...info, model, simulated }
}
