// The service `image`: OpenAI's images if its key is set, else labelled placeholders.
export interface ImageService {
  get(id: string): { bytes: Uint8Array; mediaType: string } | null
}

/** Where the page loads an image. The id is a hash that cannot be guessed. */
const urlOf = (id: string) => `/api/images/${id}`

export async function createImages(): Promise<ImageService> {
  const { createImageService } = await import('toolgate/tools/_services/image-service.js')
  return createImageService(await generator(), { urlOf })
}

async function generator(): Promise<object> {
  const apiKey = process.env.OPENAI_API_KEY
  if (apiKey) return (await import('toolgate/tools/_services/openai-images.js')).createOpenAiImages({ apiKey })
  return (await import('toolgate/tools/_services/placeholder-images.js')).createPlaceholderImages()
}
