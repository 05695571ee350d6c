// A handler's run: its context, its signal, its deadline.

/** What a handler gets. Most handlers never ask for the signal. */
export class HandlerContext {
  #controller = null

  constructor(session, args, meta, { eagerSignal }) {
    if (eagerSignal) this.#controller = new AbortController()
    this.args = args
    this.mode = session.mode
    this.session = session.view
    this.services = session.services
    this.clientId = null
    this.ws = null
    this.geminiSession = null
    this.meta = meta
  }

  get context() {
    return this
  }

  get signal() {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort(reason) {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }
}

/**
 * Starts the handler at once and waits for it, no longer than its tool allows. Never rejects.
 * @returns {Promise<{ returned: unknown } | { thrown: unknown } | { timedOut: true }>}
 */
export function runHandler(tool, context) {
  return new Promise(resolve => {
    let returned
    try {
      returned = tool.handler(context)
    } catch (thrown) {
      resolve({ thrown })
      return
    }
    if (typeof returned?.then !== 'function') {
      resolve({ returned })
      return
    }
    const timer =
      tool.timeoutMs === false
        ? undefined
        : setTimeout(() => {
            context.abort('timeout')
            resolve({ timedOut: true })
          }, tool.timeoutMs)
    returned.then(
      value => {
        clearTimeout(timer)
        resolve({ returned: value })
      },
      thrown => {
        clearTimeout(timer)
        resolve({ thrown })
      },
    )
  })
}
