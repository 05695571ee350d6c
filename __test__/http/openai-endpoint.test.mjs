// Where OpenAI's key, and what users say, are sent.
import { openaiEndpoint, toolServiceSettings } from '../../js/http/index.js'

const GATEWAY = 'https://gateway.example/v1'
const OTHER = 'https://other.example/v1'

test.each([
  [{}, null],
  [{ OPENAI_API_KEY: '', TOOLGATE_OPENAI_BASE_URL: '' }, null],
  [{ OPENAI_API_KEY: 'k' }, { apiKey: 'k', baseUrl: undefined }],
  [{ TOOLGATE_OPENAI_BASE_URL: GATEWAY }, { apiKey: null, baseUrl: GATEWAY }],
  [
    { OPENAI_API_KEY: 'k', TOOLGATE_OPENAI_BASE_URL: GATEWAY },
    { apiKey: 'k', baseUrl: GATEWAY },
  ],
  [
    { OPENAI_API_KEY: 'k', TOOLGATE_OPENAI_BASE_URL: '', OPENAI_BASE_URL: OTHER },
    { apiKey: 'k', baseUrl: OTHER },
  ],
  [
    { OPENAI_API_KEY: 'k', TOOLGATE_OPENAI_BASE_URL: GATEWAY, OPENAI_BASE_URL: OTHER },
    { apiKey: 'k', baseUrl: GATEWAY },
  ],
  [{ OPENAI_BASE_URL: OTHER }, null],
])('%j', (env, endpoint) => expect(openaiEndpoint(env)).toEqual(endpoint))

const SETTINGS = [
  ['TOOLGATE_OPENAI_BASE_URL', 'OPENAI_API_KEY', openaiEndpoint],
  ['OPENAI_BASE_URL', 'OPENAI_API_KEY', openaiEndpoint],
  ['TOOLGATE_OPENAI_BASE_URL', 'OPENAI_API_KEY', toolServiceSettings],
  ['TOOLGATE_GEMINI_BASE_URL', 'GEMINI_API_KEY', toolServiceSettings],
  ['TOOLGATE_BRAVE_BASE_URL', 'BRAVE_API_KEY', toolServiceSettings],
]

describe.each(SETTINGS)('%s', (name, key, read) => {
  test.each([
    ['gateway', 'must be a URL'],
    ['file:///etc', 'must be a URL'],
    ['gateway.example:8080', 'must be a URL'],
    ['ws://gateway.example', 'must be a URL'],
    ['ftp://user:hunter2@gateway.example', 'must be a URL'],
    ['https://user:hunter2@gateway.example', 'no user name and no password'],
    ['http://hunter2@127.0.0.1/v1', 'no user name and no password'],
    ['http://gateway.example/v1', 'must begin with `https://`'],
    ['http://169.254.169.254/v1', 'must begin with `https://`'],
    ['http://127.0.0.1.example/v1', 'must begin with `https://`'],
  ])('`%s` is refused, and not shown', (url, message) => {
    const attempt = () => read({ [key]: 'k-1', [name]: url })
    expect(attempt).toThrow(`${name} `)
    expect(attempt).toThrow(message)
    expect(attempt).not.toThrow(/hunter2|gateway|k-1/)
  })

  test.each(['https://gateway.example/v1', 'http://127.0.0.1:8787/v1', 'http://localhost:8787', 'http://[::1]:8787'])(
    '`%s` is taken',
    url => expect(JSON.stringify(read({ [key]: 'k-1', [name]: url }))).toContain(url),
  )
})

test('without a key an address of HTTP is taken: no secret is sent there', () => {
  expect(openaiEndpoint({ TOOLGATE_OPENAI_BASE_URL: 'http://simulator:8787/v1' })).toEqual({
    apiKey: null,
    baseUrl: 'http://simulator:8787/v1',
  })
})
