// The services that a server's settings select: each tool through the gate, to a server on loopback that speaks the provider's
// API, with the request that the provider documents.
import { toolServiceSettings } from '../../js/http/index.js'
import { configuredServices, sourceFields } from '../../tools/_services/configured.js'
import {
  BRAVE,
  BRAVE_KEY,
  GEMINI,
  GEMINI_KEY,
  OPENAI,
  OPENAI_KEY,
  expectNoSecret,
  image,
  open,
  provider,
} from './support/configured-server.mjs'
import { png } from './support/images.mjs'

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
