// The host service `image` over an image generator: each idempotency key generates and stores one image.
import { createHash, randomUUID } from 'node:crypto'

import { imageInfo } from './image-bytes.js'
import { ServiceError } from './service-errors.js'

const MOST_IMAGES = 50
const MOST_BYTES = 20_000_000

/**
 * @typedef {object} ImageGenerator
 * @property {(request: ImageRequest, options: { idempotencyKey: string, signal?: AbortSignal }) =>
 *   Promise<GeneratedImage>} generate
 */

/**
 * @typedef {{ prompt: string, size: "square" | "landscape" | "portrait" }} ImageRequest
 * @typedef {{ bytes: Uint8Array, mediaType?: string, model: string, simulated?: boolean, width?: number | null,
 *   height?: number | null }} GeneratedImage
 * @typedef {Required<GeneratedImage>} StoredImage
 */

/**
 * Keeps at most `mostImages` in memory, the latest; nothing is written to disk. Calls with the same key share one
 * generation, also while it runs; a failed one is forgotten, so that the key can be tried again.
 *
 * @param {ImageGenerator} generator such as `createOpenAiImages` makes
 * @param {{ urlOf?: (id: string) => string | null, mostImages?: number }} [options] `urlOf`: the URL at which the host serves
 *   an image
 * @returns an `image` service: `generate(request, { idempotencyKey, signal }) -> { id, url, mediaType, byteLength,
 *   width, height, model, simulated }`, and for the host `get(id) -> { bytes, mediaType } | null`
 */
export function createImageService(generator, { urlOf = () => null, mostImages = MOST_IMAGES } = {}) {
  /** @type {Map<string, StoredImage>} */
  const images = new Map()
  /** @type {Map<string, Promise<StoredImage>>} */
  const running = new Map()

  /**
   * @param {string} id
   * @param {ImageRequest} request
   * @param {{ idempotencyKey: string, signal?: AbortSignal }} options
   */
  async function make(id, request, options) {
    const image = checkedImage(await generator.generate(request, options))
    images.set(id, image)
    while (images.size > mostImages) images.delete(String(images.keys().next().value))
    return image
  }

  return {
    /** @param {ImageRequest} request @param {import('./service-types.js').WriteOptions} [options] */
    async generate(request, { idempotencyKey = randomUUID(), signal } = {}) {
      signal?.throwIfAborted()
      const id = imageIdOf(idempotencyKey)
      let image = images.get(id)
      if (image === undefined) {
        let made = running.get(id)
        if (made === undefined) {
          made = make(id, request, { idempotencyKey, signal }).finally(() => running.delete(id))
          running.set(id, made)
        }
        image = await made
      }
      const { bytes, ...about } = image
      return { id, url: urlOf(id), byteLength: bytes.length, ...about }
    },
    /** @param {string} id */
    get: id => {
      const image = images.get(id)
      return image === undefined ? null : { bytes: image.bytes, mediaType: image.mediaType }
    },
  }
}

/** A hash, not the key itself, because the id is public. @param {string} key */
const imageIdOf = key => `img_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`

/** @param {GeneratedImage} image @returns {StoredImage} */
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
