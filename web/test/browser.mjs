// A browser over HTTP: keeps its cookie, sends messages as `useChat` does, reads the streamed parts.

export class Browser {
  cookie = ''
  #base
  #messages = 0

  constructor(base) {
    this.#base = base
  }

  /** A request with the cookie; the answer's cookie is kept. */
  async fetch(path, { headers, ...init } = {}) {
    const cookies = this.cookie ? { cookie: this.cookie } : {}
    const response = await fetch(this.#base + path, { ...init, headers: { ...cookies, ...headers } })
    const [set] = response.headers.getSetCookie()
    if (set) this.cookie = set.split(';')[0]
    return response
  }

  postJson(path, body, init) {
    return this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    })
  }

  /** @param {object} [options] `history`: the messages before this one; `timeZone`: the page's */
  post(text, { id = `message-${(this.#messages += 1)}`, history = [], timeZone, ...init } = {}) {
    return this.postJson('/api/chat', { messages: [...history, userMessage(text, id)], timeZone }, init)
  }

  /** One turn to its end. */
  async say(text, options) {
    return readTurn(await this.post(text, options))
  }

  async confirm(confirmationToken, decision) {
    const response = await this.postJson('/api/confirmations', { confirmationToken, decision })
    return { status: response.status, body: await response.json() }
  }
}

export const textPart = text => ({ type: 'text', text })
export const userMessage = (text, id = 'm1') => ({ id, role: 'user', parts: [textPart(text)] })

/** @returns the parts of a UI message stream, its text, and the answers of its calls */
async function readTurn(response) {
  const body = await response.text()
  if (response.status !== 200)
    return { status: response.status, headers: response.headers, error: JSON.parse(body).error }
  const lines = body.split('\n').filter(line => line.startsWith('data: {'))
  const parts = lines.map(line => JSON.parse(line.slice('data: '.length)))
  const ofType = type => parts.filter(part => part.type === type)
  return {
    status: 200,
    headers: response.headers,
    parts,
    ofType,
    text: ofType('text-delta')
      .map(({ delta }) => delta)
      .join(''),
    answers: ofType('tool-output-available').map(({ output }) => output),
  }
}
