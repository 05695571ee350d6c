// Each failure of a provider of the services that a server's settings select: what the tool's call is answered, and that nothing
// of what the provider said gets out.
import {
  BRAVE,
  GEMINI,
  OPENAI,
  SAID,
  expectNoSecret,
  geminiImage,
  image,
  open,
  provider,
} from './support/configured-server.mjs'
import { png } from './support/images.mjs'

const LIMITED = { status: 429, headers: { 'retry-after': '7' }, body: { error: { message: SAID } } }
const DELAYED = { status: 429, body: { error: { message: SAID, details: [{ retryDelay: '34s' }] } } }
const WRONG_KEY = { status: 400, body: { error: { message: SAID, details: [{ reason: 'API_KEY_INVALID' }] } } }
const LONG = { body: `{"a":"${'x'.repeat(50_000_000)}"}` }
const retry = retryAfterMs => ({ type: 'RATE_LIMIT', retryable: true, retryAfterMs })
const away = { type: 'TRANSIENT', retryable: true, details: { reason: 'unavailable' } }
/** Of a write whose answer is lost. */
const unknown = {
  type: 'TRANSIENT',
  retryable: false,
  partialSideEffects: true,
  details: { reason: 'unavailable', outcome: 'unknown' },
}

describe('failures', () => {
  const tools = [
    [
      'search_web',
      { query: 'a' },
      [
        [GEMINI, '/v1beta/models/gemini-3.8-flash:generateContent'],
        [BRAVE, '/res/v1/web/search'],
      ],
    ],
    [
      'image_draft_prompt',
      { idea: 'a' },
      [
        [OPENAI, '/v1/chat/completions'],
        [GEMINI, '/v1beta/openai/chat/completions'],
      ],
    ],
    [
      'capture_webcam_snapshot',
      {},
      [
        [OPENAI, '/v1/chat/completions'],
        [GEMINI, '/v1beta/openai/chat/completions'],
      ],
    ],
    [
      'image_generate',
      { prompt: 'a' },
      [
        [OPENAI, '/v1/images/generations'],
        [GEMINI, '/v1beta/models/gemini-3.1-flash-image:generateContent'],
      ],
    ],
  ]
  /** Of each failure: the answer of the provider, the error of a read, and of a write if it is another. */
  const failures = [
    ['a wrong key', { status: 401, body: { error: { message: SAID } } }, { type: 'AUTH', retryable: true }],
    ['a wrong key of Gemini', WRONG_KEY, { type: 'AUTH', retryable: true }],
    ['no permission', { status: 403, body: { error: { message: SAID } } }, { type: 'AUTH', retryable: false }],
    ['a limit, in a header', LIMITED, retry(7000)],
    ['a limit, in the body', DELAYED, retry(34_000)],
    ['a refusal', { status: 400, body: { error: { message: SAID } } }, { type: 'PERMANENT', retryable: false }],
    ['an outage', { status: 500, body: SAID }, away, unknown],
    ['a cut connection', { cut: true }, away, unknown],
    ['no JSON', { body: SAID }, away, unknown],
    ['half an answer', { body: '{"a":' }, away, unknown],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, away, unknown],
    ['50 MB', LONG, away, unknown],
  ]
  const rows = tools.flatMap(([tool, args, ways]) =>
    ways.flatMap(([env, path]) =>
      failures
        .filter(([, answer]) => env === GEMINI || answer !== WRONG_KEY)
        .map(([what, answer, read, write]) => [
          `${tool} by ${path}: ${what}`,
          { tool, args, env, path, answer, error: tool === 'image_generate' ? (write ?? read) : read },
        ]),
    ),
  )
  test.each(rows)('%s', async (_, { tool, args, env, path, answer, error }) => {
    const { baseUrl, requests } = await provider({ [path]: answer })
    const { call, services, session, seen } = await open(env(baseUrl))
    services.vision.put(session.sessionId, 'webcam', png(2, 2))
    const failed = await call(tool, args)
    expect(failed).toMatchObject({ ok: false, error })
    expect(requests).toHaveLength(1)
    expectNoSecret(seen)
  })

  test.each([
    ['a page', Buffer.from('<html>'.repeat(20))],
    ['a GIF', Buffer.from('GIF89a'.padEnd(64, '\0'))],
    ['nothing', Buffer.alloc(0)],
    ['21 MB', png(2, 2, 21_000_000)],
  ])('an image that is %s', async (_, bytes) => {
    for (const [env, path, body] of [
      [OPENAI, '/v1/images/generations', { data: [{ b64_json: image(bytes) }] }],
      [GEMINI, '/v1beta/models/gemini-3.1-flash-image:generateContent', geminiImage(bytes)],
    ]) {
      const { baseUrl } = await provider({ [path]: { body } })
      const { call } = await open(env(baseUrl))
      expect(await call('image_generate', { prompt: 'a' })).toMatchObject({ ok: false, error: unknown })
    }
  })

  test('a model that writes no draft', async () => {
    const { baseUrl } = await provider({ draft: 'I would rather not.' })
    const { call } = await open(OPENAI(baseUrl))
    expect(await call('image_draft_prompt', { idea: 'a' })).toMatchObject({
      ok: false,
      error: { type: 'TRANSIENT', retryable: true, details: { reason: 'unusable_answer' } },
    })
  })
})
