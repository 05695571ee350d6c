// Types of the shipped services in the package's `tools/_services`, which are plain JavaScript.
declare module 'toolgate/tools/_services/embedded.js' {
  import type { ToolRegistry } from 'toolgate'

  export function embeddedServices(options?: {
    knowledgeFile?: string | URL
    calendarFolder?: string | URL
    timeZone?: string
    registry?: () => ToolRegistry
  }): Promise<Record<string, object>>
}

declare module 'toolgate/tools/_services/image-service.js' {
  export function createImageService(
    generator: object,
    options?: { urlOf?: (id: string) => string | null; mostImages?: number },
  ): { get(id: string): { bytes: Uint8Array; mediaType: string } | null }
}

declare module 'toolgate/tools/_services/openai-images.js' {
  export function createOpenAiImages(options: { apiKey: string; baseUrl?: string }): object
}

declare module 'toolgate/tools/_services/placeholder-images.js' {
  export function createPlaceholderImages(): object
}
