// What went wrong with a request, in words for who uses the page: a network that fails, a route's JSON, the answer of a failed
// call, the page of a proxy, or the text of a broken stream.

export interface ShownError {
  message: string
  type?: string
  /** End of the user's timeout, epoch milliseconds, if there is one. */
  timeoutUntil?: number
}

/** A request that was not answered, or was refused. */
export class RequestFailure extends Error implements ShownError {
  readonly type?: string
  readonly timeoutUntil?: number

  constructor({ message, type, timeoutUntil }: ShownError) {
    super(message)
    this.type = type
    this.timeoutUntil = timeoutUntil
  }
}

/** As `fetch`. @throws RequestFailure if the server was not reached or refuses */
export async function fetchAnswer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await reach(input, init)
  if (answer.ok) return answer
  throw new RequestFailure(readRefusal(answer, await answer.text()))
}

/** As `fetch`. @throws RequestFailure if the server was not reached */
export async function reach(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init)
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    throw new RequestFailure({ message: unreachedWords(), type: UNREACHED })
  }
}

/** The type of a failure of which nothing is known: the server may have got the request. */
export const UNREACHED = 'UNREACHED'

/** Browsers have their own words, and each has others: “Failed to fetch”, “Load failed”, “network error”. */
const unreachedWords = (): string =>
  navigator.onLine
    ? 'The server cannot be reached. Try again in a moment.'
    : 'You are offline. Try again when you are connected.'

/** The error of an answer that is no success. */
export function readRefusal({ status, headers }: Response, text: string): ShownError {
  const own = readError(text)
  return { ...own, message: statusWords(status, headers.get('retry-after')) ?? own.message }
}

function statusWords(status: number, retryAfter: string | null): string | null {
  if (status === 413) return 'This is more than the server takes at once. Make it shorter and try again.'
  if (status === 429) return `Too many requests at once. Try again ${waitWords(Number(retryAfter))}.`
  if (status === 500) return 'Something went wrong on the server. Try again.'
  if (status === 502 || status === 504) return 'The server does not answer now. Try again in a moment.'
  return null
}

const waitWords = (seconds: number): string => (seconds > 1 ? `in ${seconds} seconds` : 'in a moment')

/** An error that the page has caught. A stream that breaks off has the browser's error. */
export function shownError(error: Error): ShownError {
  if (error instanceof RequestFailure) return error
  if (error instanceof TypeError) return { message: `The answer broke off. ${unreachedWords()}`, type: UNREACHED }
  return readError(error.message)
}

/** Reads a route's JSON, the answer of a failed call, or the text of an error in a stream. */
export function readError(text: string): ShownError {
  try {
    const body = JSON.parse(text)
    const error = body.error ?? body.response?.error
    if (typeof error?.message === 'string')
      return { message: error.message, type: error.type, timeoutUntil: error.timeoutUntil }
  } catch {
    // Not JSON: a text without markup is the message itself.
    if (text !== '' && !text.trimStart().startsWith('<')) return { message: text }
  }
  return { message: 'The server did not say why. Try again in a moment.' }
}
