// Parses errors as the page receives them: a route's JSON, the answer of a failed call, or the text of a broken stream.

export interface ShownError {
  message: string
  type?: string
  /** End of the user's timeout, epoch milliseconds, if there is one. */
  timeoutUntil?: number
}

export function readError(text: string): ShownError {
  try {
    const body = JSON.parse(text)
    const error = body.error ?? body.response?.error
    if (typeof error?.message === 'string')
      return { message: error.message, type: error.type, timeoutUntil: error.timeoutUntil }
  } catch {
    // Not JSON: the text itself is the message.
  }
  return { message: text || 'the server did not say why' }
}
