// What the page needs of the service `image`: where it loads an image, and the images themselves.

export interface ImageService {
  get(id: string): { bytes: Uint8Array; mediaType: string } | null
}

/** Where the page loads an image. The id is a hash that cannot be guessed. */
export const imageUrl = (id: string) => `/api/images/${id}`
