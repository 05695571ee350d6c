// The service `image`: OpenAI's images, of the endpoint that is set, if there is a key; else labelled placeholders.
import { openaiEndpoint } from 'toolgate/http'
import type { ImageGenerator } from 'toolgate/tools/_services/image-service.js'
import { serverLog } from './log-failure'

export interface ImageService {
  get(id: string): { bytes: Uint8Array; mediaType: string } | null
}

/** Where the page loads an image. The id is a hash that cannot be guessed. */
const urlOf = (id: string) => `/api/images/${id}`

export async function createImages(): Promise<ImageService> {
  const { createImageService } = await import('toolgate/tools/_services/image-service.js')
  return createImageService(await generator(), { urlOf })
}

async function generator(): Promise<ImageGenerator> {
  const { apiKey = null, baseUrl } = openaiEndpoint(process.env) ?? {}
  if (apiKey !== null) {
    const { createOpenAiImages } = await import('toolgate/tools/_services/openai-images.js')
    try {
      return createOpenAiImages({ apiKey, baseUrl })
    } catch (error) {
      // A gateway that is reached without TLS: the chat may trust it, the service does not send a key there.
      serverLog().warn('images are placeholders', { reason: (error as Error).message })
    }
  }
  return (await import('toolgate/tools/_services/placeholder-images.js')).createPlaceholderImages()
}
