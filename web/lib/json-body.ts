// Reads a request's body: limits its size while it arrives, and validates JSON against a schema.
import type { ZodType } from 'zod'
import { RequestRefusal } from './request-refusal'

const SHOWN_ISSUES = 5

/** @throws RequestRefusal 413 over `maxBytes`, 415 for another content type, 400 for bad JSON or a wrong shape */
export async function readJsonBody<T>(request: Request, schema: ZodType<T>, maxBytes: number): Promise<T> {
  const contentType = request.headers.get('content-type') ?? ''
  // Another site's form can send other content types without a CORS preflight.
  if (!/^application\/json\b/i.test(contentType)) {
    throw new RequestRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'the body must be sent as `application/json`')
  }
  const parsed = schema.safeParse(parseJson(await readText(request, maxBytes)))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, SHOWN_ISSUES)
  const details = issues.map(({ path, message }) => ({ path: `/${path.map(String).join('/')}`, message }))
  const first = details.map(({ path, message }) => `\`${path}\`: ${message}`).join('; ')
  throw new RequestRefusal(400, 'VALIDATION', `the body has a wrong shape: ${first}`, { details })
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, maxBytes))
}

/** @throws RequestRefusal 413 over `maxBytes`, before more than that is read */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new RequestRefusal(413, 'TOO_LARGE', `the body is larger than ${maxBytes} bytes`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let received = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    received += chunk.byteLength
    if (received > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestRefusal(400, 'VALIDATION', 'the body is not JSON')
  }
}
