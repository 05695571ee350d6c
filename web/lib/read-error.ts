// Errors as the page gets them: a route's JSON, the answer of a failed call, or the text of a broken stream.

export interface ShownError {
  message: string
  type?: string
  /** Epoch milliseconds, where the assistant has paused the conversation. */
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
