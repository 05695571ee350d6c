// `toolgate mcp` with tokens, as docs/mcp.md checks them with `jose`, and the revision 2026-07-28 on standard input and output.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'

import { MAIN, startToolgate, toolgate } from '../support/command.mjs'
import { eventually } from '../support/gate.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { ROUNDS, connectClient, envelopeOf, modernClient, round } from './support.mjs'

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
const AUTHENTICATE = /```js\n(import \{ createRemoteJWKSet[^]*?)```/.exec(page)?.[1] ?? ''
const AUDIENCE = 'https://tools.example/mcp'
const TOOLS = { look: { kind: 'read' }, count: { kind: 'read', requiredRoles: ['admin'] } }

/** A service that signs tokens. */
async function issuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] }
  const server = createServer((_, response) => response.end(JSON.stringify(keys))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(() => server.close())
  const url = `http://127.0.0.1:${server.address().port}`
  const token = (claims = {}, audience = AUDIENCE) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setSubject('ada')
      .setIssuer(url)
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(privateKey)
  return { url, token }
}

async function built() {
  const made = project({ tools: TOOLS })
  expect((await toolgate(['build'], { cwd: made.home })).stderr).toBe('')
  return made
}

test('a token of the named service names the user and the roles; any other gets the way to one', async () => {
  const { url: service, token } = await issuer()
  const { home, write } = await built()
  expect(AUTHENTICATE).toContain('export async function authenticate')
  write(
    'authenticate.mjs',
    AUTHENTICATE.replaceAll('https://login.example', service).replace("'jose'", `'${import.meta.resolve('jose')}'`),
  )
  const words = ['--authenticate', 'authenticate.mjs', '--tokens-from', service, '--scopes', 'tools,admin']
  const child = startToolgate(['mcp', '--http', '--port', '0', ...words], { cwd: home })
  afterTest(() => child.kill())
  let told = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    told += text
  })
  const address = () => /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(told)?.[0]
  await eventually(() => address() ?? child.exitCode !== null, 'an address')
  const url = address()
  const refused = await fetch(url, { method: 'POST', body: '{}' })
  const { origin } = new URL(url)
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer scope="tools admin", resource_metadata="${metadata}"`,
  ])
  expect(await (await fetch(metadata)).json()).toMatchObject({
    authorization_servers: [service],
    scopes_supported: ['tools', 'admin'],
  })
  const call = (name, authorization) => round(url, { name, arguments: {} }, { headers: { authorization } })
  const [user, admin, other] = await Promise.all([
    token({ scope: 'tools' }),
    token({ scope: 'tools admin' }),
    token({ scope: 'admin' }, 'https://other.example'),
  ])
  expect(envelopeOf((await call('look', `Bearer ${user}`)).result).ok).toBe(true)
  expect(envelopeOf((await call('count', `Bearer ${user}`)).result).error.type).toBe('AUTH')
  expect(envelopeOf((await call('count', `Bearer ${admin}`)).result).ok).toBe(true)
  for (const bad of [`Bearer ${other}`, 'Bearer x.y.z', `Basic ${user}`])
    expect((await call('look', bad)).result).toBeUndefined()
})

test(`a client of ${ROUNDS} calls on standard input and output`, async () => {
  const { home } = await built()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    cwd: home,
    stderr: 'ignore',
  })
  const { client, sent } = await connectClient(transport, modernClient)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['look'])
  expect(envelopeOf(await client.callTool({ name: 'look' })).ok).toBe(true)
  expect(sent.map(({ method }) => method)).not.toContain('initialize')
  expect(sent.at(-1).params._meta['io.modelcontextprotocol/protocolVersion']).toBe(ROUNDS)
})
