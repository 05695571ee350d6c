import { userRoute } from '@/lib/agent'
import { loadImages } from '@/lib/gate'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'

/** A generated image, as long as it is kept in memory. Its id, which only its session was given, cannot be guessed. */
export function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return userRoute(request, async () => {
    const image = (await loadImages()).get((await params).id)
    if (!image) throw new RequestRefusal(404, 'NOT_FOUND', 'no image has this id, or it is no longer kept')
    const headers = { 'content-type': image.mediaType, 'cache-control': 'private, max-age=3600' }
    return new Response(Buffer.from(image.bytes), { headers })
  })
}
