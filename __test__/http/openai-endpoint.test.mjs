// Where OpenAI's key, and what users say, are sent.
import { openaiEndpoint } from '../../js/http/index.js'

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

test.each(['gateway', 'file:///etc', 'gateway.example:8080', 'ws://gateway.example'])('`%s` is no endpoint', url => {
  for (const name of ['TOOLGATE_OPENAI_BASE_URL', 'OPENAI_BASE_URL'])
    expect(() => openaiEndpoint({ OPENAI_API_KEY: 'k', [name]: url })).toThrow(`${name} \`${url}\` must be a URL`)
})
