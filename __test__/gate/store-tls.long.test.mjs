// A server behind TLS, Redis or Postgres: reached where its certificate is trusted, named as not trusted elsewhere, and no password appears.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const PASSWORD = 'never-to-be-told'

/** A server that knows TLS stumbles over the second of these lines, one that does not over the first. */
function knowsTls() {
  const { stdout, stderr } = spawnSync('redis-server', ['-'], {
    input: 'tls-auth-clients no\nno-such-setting 1\n',
    encoding: 'utf8',
  })
  return /no-such-setting/.test(stdout + stderr)
}
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Each server, and what is lacking for it. */
const SERVERS = [
  ['redis', RedisServer, !hasRedis ? 'redis-server' : !knowsTls() ? 'a redis-server with TLS' : undefined],
  ['postgres', PostgresServer, hasPostgres ? undefined : 'postgres'],
].map(([kind, Server, lacks]) => [kind, Server, lacks ?? (hasOpenssl ? undefined : 'openssl')])
for (const [kind, , lacks] of SERVERS) {
  if (lacks) console.log(`skipped: ${kind} behind TLS, because there is no ${lacks}`)
}

/** An authority, and a certificate of it for 127.0.0.1. */
function certificates() {
  const folder = temporaryFolder()
  const file = name => path.join(folder, name)
  const openssl = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=authority of a test',
  )
  openssl(
    'req',
    '-new',
    ...key,
    '-keyout',
    file('server.key'),
    '-out',
    file('server.csr'),
    '-subj',
    '/CN=server of a test',
  )
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1\n')
  openssl(
    'x509',
    '-req',
    '-in',
    file('server.csr'),
    '-CA',
    file('ca.pem'),
    '-CAkey',
    file('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    file('names'),
    '-out',
    file('server.pem'),
  )
  return { ca: file('ca.pem'), cert: file('server.pem'), key: file('server.key'), password: PASSWORD }
}

describe.each(SERVERS)('%s behind TLS', (kind, Server, lacks) => {
  /** What a process of its own says that uses the store. */
  async function use(url, env) {
    const { artifact } = await toolSet({ pay: { kind: 'write' } })
    const source = `
      import { createRegistry } from ${JSON.stringify(PACKAGE)}
      const handlers = { pay: () => ({ ok: true, data: process.pid }) }
      const registry = createRegistry({ artifact: ${JSON.stringify(artifact)}, handlers, store: { ${kind}: ${JSON.stringify(url)} } })
      try {
        await registry.load()
        const session = await registry.createSession({ sessionId: 's', mode: 'text' })
        const { ok, data, meta } = await session.execute({ id: 'call_000001', name: 'pay', args: {} })
        console.log(JSON.stringify({ ok, data, replayed: meta._idempotent_cache_hit === true }))
        await registry.close()
      } catch ({ name, code, message }) {
        console.log(JSON.stringify({ name, code, message }))
      }
    `
    const { code, stdout, stderr } = await runModule(source, { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain(PASSWORD)
    return JSON.parse(stdout)
  }

  const withTls = lacks ? test.skip : test

  withTls('is shared by processes that trust the server', async () => {
    const tls = certificates()
    const server = await Server.start(tls)
    const first = await use(server.url, { SSL_CERT_FILE: tls.ca })
    expect(first).toMatchObject({ ok: true, replayed: false })
    expect(await use(server.url, { SSL_CERT_FILE: tls.ca })).toEqual({ ...first, replayed: true })
  })

  withTls.each([
    ['of an authority that nobody knows', '127.0.0.1', () => ({}), /UnknownIssuer/],
    ['of another name', 'localhost', ({ ca }) => ({ SSL_CERT_FILE: ca }), /not valid for name/],
  ])('is not begun with: the load says that it does not trust a certificate %s', async (_what, host, envOf, why) => {
    const tls = certificates()
    const server = await Server.start(tls)
    const refused = await use(server.url.replace('127.0.0.1', host), envOf(tls))
    expect(refused).toEqual({
      name: 'RegistryLoadError',
      code: 'STORE_REFUSED',
      message: expect.stringMatching(new RegExp(`${kind} is not trusted: invalid peer certificate: .*SSL_CERT_FILE`)),
    })
    expect(refused.message).toMatch(why)
  })

  withTls('is not begun with where the server takes another password', async () => {
    const tls = certificates()
    const server = await Server.start(tls)
    const wrong = server.url.replace(PASSWORD, `${PASSWORD}-either`)
    const refused = await use(wrong, { SSL_CERT_FILE: tls.ca })
    expect(refused).toMatchObject({ name: 'RegistryLoadError', code: 'STORE_REFUSED' })
  })
})
