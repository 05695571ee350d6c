// The services that a server's settings select: each tool through the gate, to a server on loopback that speaks the provider's
// API, with the request that the provider documents; and each failure of a provider.
import { createRegistry } from '../../index.js'
import { toolServiceSettings } from '../../js/http/index.js'
import { configuredServices, sourceFields } from '../../tools/_services/configured.js'
import { handlers } from '../../tools/handlers.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { png } from './support/images.mjs'
import { startJsonServer } from './support/json-server.mjs'

const OPENAI_KEY = 'sk-openai-Zq81'
const GEMINI_KEY = 'AIza-gemini-Zq82'
const BRAVE_KEY = 'BSA-brave-Zq83'
const SECRETS = [OPENAI_KEY, GEMINI_KEY, BRAVE_KEY, 'secret of the provider']
const DRAFTS = {
  image_draft_prompt: [{ idea: 'a cup', count: 1 }, { prompts: ['A cup on a table'] }],
  extract_action_items: [
    { text: 'Ada calls Tom.' },
    { items: [{ task: 'Call Tom', owner: 'Ada', due: null, quote: 'Ada calls Tom.' }] },
  ],
  generate_summary_preview: [{ text: 'Ada calls Tom.' }, { preview: 'Ada calls Tom.' }],
  draft_follow_up_email: [
    { recipient: 'Ada', facts: ['Tom calls.'] },
    { subject: 'Call', body: 'Tom calls.' },
  ],
  generate_proposal_draft: [
    { client: 'A', need: 'B', facts: ['C'] },
    { title: 'T', text: 'C' },
  ],
}

const completion = content => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})
const image = bytes => bytes.toString('base64')
const grounded = {
  candidates: [
    {
      content: { parts: [{ text: 'It is 3.' }] },
      groundingMetadata: {
        groundingChunks: [{ web: { title: 'A page', uri: 'https://a.example/' } }],
        groundingSupports: [{ groundingChunkIndices: [0], segment: { text: 'It is 3.' } }],
      },
    },
  ],
}

/** @param {Buffer} bytes */
const geminiImage = bytes => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: image(bytes) } }] } }],
})

/** A provider of everything, with what it answers for each path; `draft` is what a model writes. */
async function provider({ draft = {}, ...paths } = {}) {
  const answers = {
    '/v1/chat/completions': { body: completion(JSON.stringify(draft)) },
    '/v1beta/openai/chat/completions': { body: completion(JSON.stringify(draft)) },
    '/v1/images/generations': { body: { data: [{ b64_json: image(png(3, 2)) }] } },
    '/v1beta/models/gemini-3.1-flash-image:generateContent': { body: geminiImage(png(3, 2)) },
    '/v1beta/models/gemini-3.8-flash:generateContent': { body: grounded },
    '/res/v1/web/search': {
      body: { type: 'search', web: { results: [{ title: 'B', url: 'https://b.example/', description: 'b' }] } },
    },
    ...paths,
  }
  return startJsonServer(({ path }) => answers[path] ?? { status: 404 })
}

const OPENAI = url => ({ OPENAI_API_KEY: OPENAI_KEY, TOOLGATE_OPENAI_BASE_URL: `${url}/v1` })
const GEMINI = url => ({ GEMINI_API_KEY: GEMINI_KEY, TOOLGATE_GEMINI_BASE_URL: url })
const BRAVE = url => ({ BRAVE_API_KEY: BRAVE_KEY, TOOLGATE_BRAVE_BASE_URL: `${url}/res/v1` })

/** A session of a server with these settings. All that a log, an audit or a model gets is in `seen`. */
async function open(env) {
  const { services, sources } = await configuredServices(toolServiceSettings(env), { imageUrl: id => `/images/${id}` })
  const seen = [JSON.stringify(sourceFields(sources))]
  const registry = createRegistry({
    handlers,
    services,
    modes: { text: { attempts: 1 } },
    audit: line => seen.push(line),
    onHandlerError: error => seen.push(String(error.stack)),
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text' })
  const call = async (name, args) => {
    const asked = await session.execute({ name, args })
    const token = asked.error?.confirmation_request?.token
    const answer = token ? await session.confirm(token) : asked
    seen.push(JSON.stringify(answer))
    return answer
  }
  return { call, services, sources, session, seen }
}

function expectNoSecret(seen) {
  for (const secret of SECRETS) expect(seen.join('\n')).not.toContain(secret)
}

/** Without what the test does not set: agents and lengths. */
const requestOf = ({ method, path, query, headers, body }) => ({
  method,
  path,
  query,
  key: headers.authorization ?? headers['x-goog-api-key'] ?? headers['x-subscription-token'],
  body,
})

describe('what serves', () => {
  const states = sources => Object.fromEntries(Object.entries(sources).map(([name, { state }]) => [name, state]))
  const embedded = { kb: 'simulated', calendar: 'simulated', dashboard: 'absent' }
  const url = 'http://127.0.0.1:9'
  test.each([
    ['no key', {}, { llm: 'simulated', frameAnalysis: 'absent', search: 'simulated', image: 'simulated' }],
    ['OpenAI', OPENAI(url), { llm: 'real', frameAnalysis: 'real', search: 'simulated', image: 'real' }],
    ['Gemini', GEMINI(url), { llm: 'real', frameAnalysis: 'real', search: 'real', image: 'real' }],
    ['Brave', BRAVE(url), { llm: 'simulated', frameAnalysis: 'absent', search: 'real', image: 'simulated' }],
    // An endpoint without a key is the simulator's: it serves no tool.
    [
      'an endpoint alone',
      { TOOLGATE_OPENAI_BASE_URL: `${url}/v1` },
      { llm: 'simulated', frameAnalysis: 'absent', search: 'simulated', image: 'simulated' },
    ],
  ])('with %s', async (_, env, expected) => {
    const { sources } = await configuredServices(toolServiceSettings(env), { imageUrl: id => id })
    expect(states(sources)).toEqual({ ...embedded, ...expected })
    expectNoSecret([JSON.stringify(sources)])
  })

  test('a host without images, an address without TLS, and the names of models', async () => {
    const env = { OPENAI_API_KEY: OPENAI_KEY, TOOLGATE_TOOLS_MODEL: 'm1', TOOLGATE_IMAGE_MODEL: 'm2' }
    // The settings of the environment refuse such an address for each service; a program may give it.
    expect(() => toolServiceSettings({ ...env, ...OPENAI('http://far.example') })).toThrow('https')
    const openai = { apiKey: OPENAI_KEY, baseUrl: 'http://far.example/v1' }
    const { services, sources } = await configuredServices(
      { ...toolServiceSettings(env), openai },
      { imageUrl: id => id },
    )
    expect(sources).toMatchObject({
      llm: { by: 'OpenAI, m1' },
      image: { state: 'simulated', by: expect.stringContaining('https') },
    })
    expect(await services.image.generate({ prompt: 'a', size: 'square' })).toMatchObject({ simulated: true })
    expect(sourceFields((await configuredServices(toolServiceSettings({}))).sources).absent.image).toBe(
      'this server shows no images',
    )
  })

  test.each(['OPENAI_API_KEY', 'GEMINI_API_KEY', 'BRAVE_API_KEY'])(
    'a %s that no header can carry is named, not shown',
    name => {
      expect(() => toolServiceSettings({ [name]: 'sk-a\nb' })).toThrow(`${name} must be a key`)
      expect(() => toolServiceSettings({ [name]: 'sk-a\nb' })).not.toThrow('sk-a')
    },
  )
})

describe('the requests', () => {
  test.each(Object.entries(DRAFTS))('%s by OpenAI', async (tool, [args, draft]) => {
    const { baseUrl, requests } = await provider({ draft })
    const { call, seen } = await open(OPENAI(baseUrl))
    const { ok, data } = await call(tool, args)
    expect([ok, data?.model, data?.simulated]).toEqual([true, 'gpt-6.1-terra', false])
    const [system, user] = requests[0].body.messages
    expect(requests.map(requestOf)).toEqual([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        query: {},
        key: `Bearer ${OPENAI_KEY}`,
        // A model that reasons takes no `max_tokens`, and its instructions as developer's.
        body: { model: 'gpt-6.1-terra', max_completion_tokens: expect.any(Number), messages: [system, user] },
      },
    ])
    expect([system.role, user.role, JSON.parse(user.content).task]).toEqual(['developer', 'user', tool])
    expectNoSecret(seen)
  })

  test('a draft by Gemini, through its endpoint of OpenAI’s protocol', async () => {
    const [args, draft] = DRAFTS.image_draft_prompt
    const { baseUrl, requests } = await provider({ draft })
    const { call, seen } = await open(GEMINI(baseUrl))
    expect((await call('image_draft_prompt', args)).data).toMatchObject({
      prompts: draft.prompts,
      model: 'gemini-3.8-flash',
    })
    expect(requestOf(requests[0])).toMatchObject({
      path: '/v1beta/openai/chat/completions',
      key: `Bearer ${GEMINI_KEY}`,
      body: { model: 'gemini-3.8-flash', max_tokens: 5500, messages: [{ role: 'system' }, { role: 'user' }] },
    })
    expectNoSecret(seen)
  })

  test.each([
    [
      'Gemini',
      GEMINI,
      {
        method: 'POST',
        path: '/v1beta/models/gemini-3.8-flash:generateContent',
        query: {},
        key: GEMINI_KEY,
        body: {
          systemInstruction: { parts: [{ text: expect.any(String) }] },
          contents: [{ role: 'user', parts: [{ text: 'How many?' }] }],
          tools: [{ google_search: {} }],
        },
      },
      { answer: 'It is 3.', results: [{ title: 'A page', url: 'https://a.example/', snippet: 'It is 3.' }] },
    ],
    [
      'Brave',
      url => ({ ...GEMINI(url), ...BRAVE(url) }),
      {
        method: 'GET',
        path: '/res/v1/web/search',
        query: { q: 'How many?', count: '8', text_decorations: 'false', safesearch: 'moderate' },
        key: BRAVE_KEY,
      },
      { results: [{ title: 'B', url: 'https://b.example/', snippet: 'b' }] },
    ],
  ])('search_web by %s', async (_, env, request, data) => {
    const { baseUrl, requests } = await provider()
    const { call, seen } = await open(env(baseUrl))
    expect((await call('search_web', { query: 'How many?' })).data).toMatchObject(data)
    expect(requests.map(requestOf)).toEqual([request])
    expectNoSecret(seen)
  })

  test.each([
    [
      'OpenAI',
      OPENAI,
      '/v1/images/generations',
      `Bearer ${OPENAI_KEY}`,
      { model: 'gpt-image-2.6-flare', prompt: 'A cup', n: 1, size: '1024x1024' },
    ],
    [
      'Gemini',
      GEMINI,
      '/v1beta/models/gemini-3.1-flash-image:generateContent',
      GEMINI_KEY,
      {
        contents: [{ role: 'user', parts: [{ text: 'A cup' }] }],
        generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '1:1' } },
      },
    ],
  ])('image_generate by %s', async (_, env, path, key, body) => {
    const { baseUrl, requests } = await provider()
    const { call, services, seen } = await open(env(baseUrl))
    const { data } = await call('image_generate', { prompt: 'A cup' })
    expect(data).toMatchObject({
      width: 3,
      height: 2,
      media_type: 'image/png',
      simulated: false,
      model: expect.any(String),
    })
    expect(services.image.get(data.image_id).bytes).toEqual(png(3, 2))
    expect(requests.map(requestOf)).toEqual([{ method: 'POST', path, query: {}, key, body }])
    expectNoSecret(seen)
  })

  test.each([
    ['OpenAI', OPENAI],
    ['Gemini', GEMINI],
  ])('a frame is described by %s when a tool looks at it, once', async (_, env) => {
    const { baseUrl, requests } = await provider({ draft: 'A red cup.' })
    const { call, services, session, seen } = await open(env(baseUrl))
    for (const side of [2, 3]) services.vision.put(session.sessionId, 'webcam', png(side, side))
    expect(requests).toEqual([])
    for (let look = 0; look < 2; look += 1)
      expect((await call('capture_webcam_snapshot', {})).data).toMatchObject({
        analysis_status: 'done',
        analysis: '"A red cup."',
        width: 3,
      })
    expect(requests).toHaveLength(1)
    expect(requests[0].body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: expect.stringContaining('camera') },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image(png(3, 3))}` } },
        ],
      },
    ])
    expectNoSecret(seen)
  })
})

const SAID = 'secret of the provider'
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
