// Where clients get their tokens: the metadata of the resource, and the challenge of a refused request.
import { posted, served } from './http-support.mjs'

const TOOLS = { look: { kind: 'read' } }
const authenticate = ({ headers }) => (headers.authorization === 'Bearer good' ? { principal: 'ada' } : null)
const authorization = { servers: ['https://login.example/realm'], scopes: ['tools:read', 'tools:write'] }
const PATH = '/.well-known/oauth-protected-resource'

test('a request without a token is told where the metadata are, and they say where tokens are', async () => {
  const { url } = await served({ authenticate, authorization }, TOOLS)
  const refused = await posted(url, {})
  const { origin } = new URL(url)
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    `Bearer scope="tools:read tools:write", resource_metadata="${origin}${PATH}/mcp"`,
  ])
  const metadata = await posted(`${origin}${PATH}/mcp`, {}, { method: 'GET' })
  expect([metadata.status, JSON.parse(metadata.text)]).toEqual([
    200,
    {
      resource: url,
      authorization_servers: authorization.servers,
      scopes_supported: authorization.scopes,
      bearer_methods_supported: ['header'],
    },
  ])
  expect((await posted(url, { authorization: 'Bearer bad' })).headers['www-authenticate']).toMatch(
    /^Bearer error="invalid_token", scope=/,
  )
  expect((await posted(url, { authorization: 'Bearer good' })).status).toBe(200)
})

test('of another name it is reached by TLS, or as the host says; a name that is not allowed gets nothing', async () => {
  const { url } = await served({ authenticate, authorization, allowedHosts: ['tools.example'] }, TOOLS)
  const at = (host, path = PATH, method = 'GET') => posted(new URL(path, url).href, { host }, { method })
  expect(JSON.parse((await at('tools.example')).text).resource).toBe('https://tools.example')
  expect((await posted(url, { host: 'tools.example' })).headers['www-authenticate']).toContain(
    `resource_metadata="https://tools.example${PATH}/mcp"`,
  )
  expect((await at('evil.example')).status).toBe(403)
  expect((await at('tools.example', PATH, 'POST')).status).toBe(405)
  const resource = 'https://gate.example/tools'
  const named = await served({ authenticate, authorization: { ...authorization, resource } }, TOOLS)
  expect((await posted(named.url, {})).headers['www-authenticate']).toContain(`"https://gate.example${PATH}/tools"`)
  expect(JSON.parse((await posted(new URL(PATH, named.url).href, {}, { method: 'GET' })).text).resource).toBe(resource)
})

test('without the option there are no metadata', async () => {
  const { url } = await served({ authenticate }, TOOLS)
  expect((await posted(url, {})).headers['www-authenticate']).toBe('Bearer')
  expect((await posted(new URL(PATH, url).href, {}, { method: 'GET' })).status).toBe(401)
})

test.each([
  [{}, /`servers`/],
  [{ servers: [] }, /`servers`/],
  [{ servers: ['http://login.example'] }, /`servers`/],
  [{ servers: ['https://a.example'], scopes: ['a b'] }, /`scopes`/],
  [{ servers: ['https://a.example'], scopes: ['a"b'] }, /`scopes`/],
  [{ servers: ['https://a.example'], resource: 'here' }, /`resource`/],
  [{ servers: ['https://a.example'], scope: ['a'] }, /`scope`/],
])('an option that can not be right is told: %j', async (given, message) => {
  await expect(served({ authenticate, authorization: given }, TOOLS)).rejects.toThrow(message)
})

test('metadata without a check of tokens are refused', async () => {
  await expect(served({ authorization }, TOOLS)).rejects.toThrow('`authorization` needs `authenticate`')
})
