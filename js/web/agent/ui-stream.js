'use strict'

// A UI message stream of the AI SDK (6 and 7), as a response: the model's parts, and the gate's between them.

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  // Of nginx: it would keep the answer until its end.
  'x-accel-buffering': 'no',
}

/**
 * @typedef {{ type: string, [member: string]: unknown }} StreamPart
 * @typedef {(part: StreamPart) => void} Write to a page that has gone: nothing happens
 */

/**
 * The response; `run` writes its parts, and the stream ends with it.
 * @param {(write: Write) => Promise<void>} run never rejects
 * @param {{ headers: Record<string, string>, onGone(): void }} how `onGone`: the page does not read any more
 */
function streamResponse(run, { headers, onGone }) {
  const encoder = new TextEncoder()
  let isOpen = true
  /** @type {UnderlyingSource<Uint8Array>} */
  const source = {
    start(controller) {
      const send = (/** @type {string} */ data) =>
        void (isOpen && controller.enqueue(encoder.encode(`data: ${data}\n\n`)))
      void run(part => send(JSON.stringify(part))).then(() => {
        send('[DONE]')
        if (isOpen) controller.close()
        isOpen = false
      })
    },
    cancel() {
      isOpen = false
      onGone()
    },
  }
  return new Response(new ReadableStream(source), { headers: { ...HEADERS, ...headers } })
}

module.exports = { streamResponse }
