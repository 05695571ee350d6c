// One HTTP route for all tools that a page calls: requests and responses as a page has them.
import { ErrorType, ToolError, httpStatus } from '../../index.js'
import { createToolRoute } from '../../js/web/index.js'
import { gateway, openGate } from '../support/gate.mjs'

const HOST = 'app.example'
const TEXT = { properties: { text: { type: 'string' } }, required: ['text'] }
const ECHO = ({ args }) => ({ ok: true, data: args })

/** A route over these tools; `post` sends one request of the page. */
async function openRoute(tools, options = {}, registryOptions = {}) {
  const gate = await openGate(tools, registryOptions)
  const route = createToolRoute(gate.registry, {
    session: () => ({ sessionId: 'page-1', mode: 'text' }),
    allowedHosts: [HOST],
    ...options,
  })
  const send = (path, init = {}) => {
    const headers = { host: HOST, 'content-type': 'application/json', ...init.headers }
    return route(new Request(`https://${HOST}/api/tools/${path}`, { method: 'POST', ...init, headers, duplex: 'half' }))
  }
  const post = async (tool, args, headers = {}) => {
    const response = await send(tool, { body: JSON.stringify(args), headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return { ...gate, route, send, post }
}

test('a call is run and answered as JSON that is not cached', async () => {
  const { post } = await openRoute({ probe: { execute: ECHO, ...TEXT } })
  const { status, headers, body } = await post('probe', { text: 'a' })
  expect([status, body.ok, body.data]).toEqual([200, true, { text: 'a' }])
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
  })
})

test('an empty body is a call without arguments', async () => {
  const { send } = await openRoute({ probe: { execute: ECHO } })
  expect((await send('probe')).status).toBe(200)
})

test.each(Object.keys(ErrorType))('a failure of the type %s has its status', async type => {
  const made = ['VALIDATION', 'NOT_FOUND', 'AUTH', 'RATE_LIMIT', 'CONFLICT', 'TRANSIENT', 'PERMANENT']
  const { post } = await openRoute({
    probe: { kind: 'write', execute: () => ({ ok: false, error: { type, message: 'no' } }) },
  })
  const { status, body } = await post('probe', {})
  if (made.includes(type)) expect(body.error.type).toBe(type)
  expect(status).toBe(httpStatus(body.error.type))
})

describe('refused', () => {
  const long = 'x'.repeat(200)
  test.each([
    ['another method', { method: 'GET' }, 405, /use `POST`/],
    ['a page of another site', { body: '{}', headers: { origin: 'https://evil.example' } }, 403, /origin/],
    ['a sandboxed page', { body: '{}', headers: { origin: 'null' } }, 403, /origin/],
    ['a form', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
    ['a similar content type', { body: '{}', headers: { 'content-type': 'application/jsonp' } }, 415, /json/],
    ['a large body', { body: JSON.stringify({ text: long }) }, 413, /larger than 100 bytes/],
    ['a declared length that is too large', { body: '{}', headers: { 'content-length': '1000000' } }, 413, /larger/],
    ['text that is not JSON', { body: '{"text":' }, 400, /cannot be read/],
    ['a list', { body: '[]' }, 400, /./],
    ['bytes that are not UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, /UTF-8/],
    ['other arguments', { body: '{"txt":"a"}' }, 400, /`text`/],
    ['an empty key', { body: '{}', headers: { 'idempotency-key': '""' } }, 400, /Idempotency-Key/],
    ['a very long key', { body: '{}', headers: { 'idempotency-key': 'k'.repeat(257) } }, 400, /Idempotency-Key/],
  ])('%s', async (_what, init, status, message) => {
    let runs = 0
    const { send } = await openRoute(
      { probe: { execute: () => ((runs += 1), { ok: true }), ...TEXT } },
      { maxBodyBytes: 100 },
    )
    const response = await send('probe', init)
    const { ok, error } = await response.json()
    expect([response.status, ok, error.message, runs]).toEqual([status, false, expect.stringMatching(message), 0])
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
  })

  test('a body that grows beyond the limit is not read to its end', async () => {
    const { send } = await openRoute({ probe: { execute: ECHO } }, { maxBodyBytes: 100 })
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(60))
      },
    })
    expect((await send('probe', { body })).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })

  test.each(['constructor', '__proto__', 'prob', '%E0%A4%A', 'x'.repeat(5000)])('the unknown tool %#', async tool => {
    const { post } = await openRoute({ probe: { execute: ECHO } })
    const { status, body } = await post(tool, {})
    expect([status, body.error.type]).toEqual([404, 'NOT_FOUND'])
  })

  test('the session of another principal', async () => {
    const { registry, post } = await openRoute({ probe: { execute: ECHO } })
    await registry.createSession({ sessionId: 'page-1', mode: 'text', principal: 'ada' })
    const { status, body } = await post('probe', {})
    expect([status, body.error.type]).toEqual([401, 'AUTH'])
  })
})

describe('pages', () => {
  test('of the own host and of allowed origins pass', async () => {
    const { post } = await openRoute({ probe: { execute: ECHO } }, { allowedOrigins: ['https://other.example'] })
    const statusFrom = async headers => (await post('probe', {}, headers)).status
    expect(await statusFrom({ origin: `https://${HOST}` })).toBe(200)
    expect(await statusFrom({ origin: 'https://other.example' })).toBe(200)
    expect(await statusFrom({ origin: 'https://public.example', 'x-forwarded-host': 'public.example' })).toBe(200)
    expect(await statusFrom({ origin: 'https://app.example.evil.example' })).toBe(403)
  })

  test('with `allowedHosts`, only known host names are answered', async () => {
    const { post } = await openRoute({ probe: { execute: ECHO } }, { allowedHosts: ['known.example'] })
    const statusAt = async host => (await post('probe', {}, { host })).status
    expect(
      await Promise.all(['known.example', 'KNOWN.example:8443', 'localhost:3000', '127.0.0.1'].map(statusAt)),
    ).toEqual([200, 200, 200, 200])
    expect(await Promise.all(['rebound.example', 'known.example.evil.example', ''].map(statusAt))).toEqual([
      403, 403, 403,
    ])
  })

  test('without `allowedHosts`, the names of this machine and of the allowed origins are', async () => {
    const { post } = await openRoute(
      { probe: { execute: ECHO } },
      { allowedHosts: undefined, allowedOrigins: ['https://app.example'] },
    )
    const statusAt = async host => (await post('probe', {}, { host })).status
    expect(await Promise.all(['localhost:3000', '127.0.0.1', '[::1]:3000', 'app.example'].map(statusAt))).toEqual([
      200, 200, 200, 200,
    ])
    expect(await Promise.all(['rebound.example', 'app.example.evil.example'].map(statusAt))).toEqual([403, 403])
  })

  test('pass a check of the host', async () => {
    const allowedOrigins = () => {
      throw new ToolError('AUTH', 'not this page')
    }
    const { post } = await openRoute({ probe: { execute: ECHO } }, { allowedOrigins })
    const { status, body } = await post('probe', {})
    expect([status, body.error.message]).toEqual([401, 'not this page'])
  })
})

describe('an idempotency key', () => {
  const counting = () => {
    let runs = 0
    return { kind: 'write', execute: ({ args }) => ({ ok: true, data: { ...args, run: (runs += 1) } }), ...TEXT }
  }

  test.each(['k1', '"k1"', 'temp_0000001', '8e03978e-40d5-43dd-bc93-6894a57f9324'])(
    '%s runs a call once',
    async key => {
      const { post } = await openRoute({ probe: counting() })
      const [first, again] = [
        await post('probe', { text: 'a' }, { 'idempotency-key': key }),
        await post('probe', { text: 'a' }, { 'idempotency-key': key }),
      ]
      expect([first.body.data.run, again.body.data.run]).toEqual([1, 1])
      expect([first.body.meta._idempotent_cache_hit, again.body.meta._idempotent_cache_hit]).toEqual([undefined, true])
      expect((await post('probe', { text: 'a' })).body.data.run).toBe(2)
    },
  )

  test('with other arguments is a conflict, and runs nothing', async () => {
    const { post } = await openRoute({ probe: counting() })
    await post('probe', { text: 'a' }, { 'idempotency-key': 'order-1' })
    await post('probe', { text: 'b' }, { 'idempotency-key': 'order-2' })
    const { status, body } = await post('probe', { text: 'other' }, { 'idempotency-key': 'order-1' })
    expect([status, body.error.type]).toEqual([409, 'CONFLICT'])
    expect((await post('probe', { text: 'c' })).body.data.run).toBe(3)
  })

  test('joins the request that is still running', async () => {
    const held = gateway()
    let runs = 0
    const execute = async () => ((runs += 1), await held.passed, { ok: true, data: runs })
    const { post } = await openRoute({ probe: { kind: 'write', execute } })
    const both = [1, 2].map(() => post('probe', {}, { 'idempotency-key': 'order-1' }))
    held.open()
    expect((await Promise.all(both)).map(({ body }) => body.data)).toEqual([1, 1])
  })
})

describe('limits', () => {
  test('are named in headers', async () => {
    const { post } = await openRoute({ probe: { execute: ECHO, rateLimit: { calls: 2, windowMs: 90_500 } } })
    const policy = '"probe";q=2;w=91'
    const headersOf = ({ headers }) => ['ratelimit-policy', 'ratelimit', 'retry-after'].map(name => headers.get(name))
    expect(headersOf(await post('probe', {}))).toEqual([policy, null, null])
    await post('probe', {})
    const refused = await post('probe', {})
    const after = Math.ceil(refused.body.error.retryAfterMs / 1000)
    expect(refused.status).toBe(429)
    expect(headersOf(refused)).toEqual([policy, `"probe";r=0;t=${after}`, String(after)])
  })

  test('of a service are passed on without a policy', async () => {
    const error = { type: 'RATE_LIMIT', message: 'slow down', retryable: true, retryAfterMs: 1500 }
    const { post } = await openRoute({ probe: { kind: 'write', execute: () => ({ ok: false, error }) } })
    const { headers } = await post('probe', {})
    expect([headers.get('retry-after'), headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([
      '2',
      null,
      null,
    ])
  })

  test('of a turn do not count over requests', async () => {
    const { post } = await openRoute({ probe: { kind: 'read', execute: ECHO } })
    for (let n = 0; n < 30; n += 1) expect((await post('probe', {})).status).toBe(200)
  })
})

test('a capability is tracked once, on success, and not by a replay', async () => {
  const used = []
  const execute = ({ args }) =>
    args.text === 'bad' ? { ok: false, error: { type: 'PERMANENT', message: 'no' } } : { ok: true }
  const onCapabilityUsed = ({ toolId }, request) => used.push([toolId, request.headers.get('x-page')])
  const { post } = await openRoute({ probe: { kind: 'write', execute, ...TEXT } }, { onCapabilityUsed })
  await post('probe', { text: 'bad' })
  const headers = { 'idempotency-key': 'order-1', 'x-page': 'cart' }
  await post('probe', { text: 'good' }, headers)
  await post('probe', { text: 'good' }, headers)
  expect(used).toEqual([['probe', 'cart']])
})

test('a call that needs confirmation is a question, without its token', async () => {
  const { post, registry } = await openRoute({
    order: { kind: 'write', execute: ECHO, requiresConfirmation: true, ...TEXT },
  })
  const { status, body } = await post('order', { text: 'tea' })
  expect([status, body.error.type, body.error.confirmation_request.token]).toEqual([
    428,
    'CONFIRMATION_REQUIRED',
    undefined,
  ])
  const page = await registry.createSession({ sessionId: 'page-1', mode: 'text' })
  const [{ token }] = await page.listPending()
  expect(JSON.stringify(body)).not.toContain(token)
  expect((await page.confirm(token)).ok).toBe(true)
})

describe('errors', () => {
  test('of handlers and of the host have no details', async () => {
    const secret = () => {
      throw new Error('password=hunter2')
    }
    const { post } = await openRoute({ probe: { execute: secret } })
    const failed = await post('probe', {})
    expect(failed.status).toBe(500)
    const broken = await openRoute({ probe: { execute: ECHO } }, { session: secret, onError() {} })
    const refused = await broken.post('probe', {})
    expect(refused.body.error).toEqual({
      type: 'INTERNAL',
      message: 'the server failed',
      retryable: false,
      partialSideEffects: false,
    })
    expect(JSON.stringify([failed.body, refused.body])).not.toMatch(/hunter2|\.js|\.mjs/)
  })

  test('that are no refusals are written to the console, unless the host takes them', async () => {
    const written = []
    const { error: original } = console
    console.error = line => written.push(line)
    try {
      const failure = new Error('the tool set did not load')
      const session = () => Promise.reject(failure)
      const { post } = await openRoute({ probe: { execute: ECHO } }, { session })
      expect((await post('probe', {})).status).toBe(500)
      expect(written).toEqual([failure])
      const heard = await openRoute(
        { probe: { execute: ECHO } },
        { session, onError: error => void written.push([error]) },
      )
      await heard.post('probe', {})
      const refusing = await openRoute(
        { probe: { execute: ECHO } },
        { session: () => Promise.reject(new ToolError('AUTH', 'no session')) },
      )
      expect((await refusing.post('probe', {})).status).toBe(401)
      expect(written).toEqual([failure, [failure]])
    } finally {
      console.error = original
    }
  })

  test('are answered by the host if it wants to', async () => {
    const onError = error => (error.type === 'AUTH' ? new Response('sign in', { status: 401 }) : undefined)
    const session = () => {
      throw new ToolError('AUTH', 'no session')
    }
    const { send } = await openRoute({ probe: { execute: ECHO } }, { onError, session })
    expect(await (await send('probe')).text()).toBe('sign in')
    expect((await send('probe', { method: 'GET' })).status).toBe(405)
  })

  test('of a check before the call refuse it', async () => {
    let runs = 0
    const beforeCall = () => {
      throw new ToolError('CONFLICT', 'paused')
    }
    const { post } = await openRoute({ probe: { execute: () => ((runs += 1), { ok: true }) } }, { beforeCall })
    expect([(await post('probe', {})).status, runs]).toEqual([409, 0])
  })
})

test('a request that its client gives up is cancelled', async () => {
  const started = gateway()
  const execute = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')))
      started.open()
    })
  const { send } = await openRoute({ probe: { kind: 'read', execute } })
  const controller = new AbortController()
  const answer = send('probe', { signal: controller.signal })
  await started.passed
  controller.abort()
  expect((await answer).status).toBe(499)
})

test('the registry may be loaded on first use', async () => {
  const { registry } = await openRoute({ probe: { execute: ECHO } })
  const route = createToolRoute(async () => registry, {
    session: () => ({ mode: 'text' }),
    toolOf: () => 'probe',
    allowedHosts: [HOST],
  })
  const request = new Request('https://app.example/any', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
  expect((await route(request)).status).toBe(200)
})

test('misuse throws', () => {
  expect(() => createToolRoute({}, {})).toThrow('`session` is missing')
  expect(() => createToolRoute({}, { sesion: () => ({}) })).toThrow('unknown tool route option `sesion`')
})

test.each([
  ['throws', () => Promise.reject(new Error('hunter2')), 500],
  ['returns an answer late', async () => new Response(null, { status: 418 }), 418],
])('a listener of errors that %s leaves the request answered', async (_, onError, status) => {
  const session = () => {
    throw new Error('no session')
  }
  const { send } = await openRoute({ probe: { execute: ECHO } }, { session, onError })
  expect((await send('probe')).status).toBe(status)
})
