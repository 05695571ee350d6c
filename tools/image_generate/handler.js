// Generates one image through the host service `image`, which keeps it. Its bytes never go to the model.
import { success } from '../_core/tool-response.js'
import { plainText } from '../_services/plain-text.js'
import { ServiceError, serviceFailure } from '../_services/service-errors.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args, services, meta, signal }) {
  try {
    const request = { prompt: args.prompt, size: args.size }
    const image = await services.image.generate(request, { idempotencyKey: meta.idempotencyKey, signal })
    // The service answered, so an image may have been made and paid for.
    if (typeof image?.id !== 'string') throw new ServiceError('UNAVAILABLE', 'the answer names no image')
    return success(toData(image))
  } catch (error) {
    return serviceFailure(error, 'image service', { writing: true })
  }
}

/** @param {import('../_services/service-types.js').JsonObject} image of the host's service: unchecked */
function toData({ id, url, mediaType, width, height, byteLength, model, simulated }) {
  return {
    image_id: id,
    url: typeof url === 'string' ? url : null,
    media_type: mediaType,
    width: width ?? null,
    height: height ?? null,
    bytes: byteLength,
    model: plainText(model, 100) || 'unnamed',
    simulated: simulated === true,
  }
}
