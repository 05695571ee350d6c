// The command line as a process of its own.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { makeCertificate } from './certificate.mjs'

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url))

function run(t, ...args) {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', data => (output[name] += data))
  return { child, output, closed: once(child, 'close').then(([code]) => code) }
}

test('starts, names itself a simulator, answers, and ends cleanly on Ctrl-C', async t => {
  const { child, output, closed } = run(t, '--port', '0')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const [, url] = /^Toolgate SIMULATOR \(no model, no provider\) on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)
  assert.equal((await (await fetch(`${url}/healthz`)).json()).scenario, 'default')
  child.kill('SIGINT')
  assert.equal(await closed, 0)
  assert.match(output.stdout, /Toolgate SIMULATOR stopped/)
})

test('speaks https where it is given a certificate', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-tls-'))
  t.after(() => rm(folder, { recursive: true }))
  const { key, cert } = await makeCertificate()
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') }
  await Promise.all([writeFile(files.key, key), writeFile(files.cert, cert)])
  const { child } = run(t, '--port', '0', '--tls-key', files.key, '--tls-cert', files.cert)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const [url] = /https:\/\/127\.0\.0\.1:\d+$/.exec(line)
  const [response] = await once(get(`${url}/healthz`, { ca: cert }), 'response')
  response.resume()
  assert.deepEqual([response.statusCode, response.headers['x-toolgate-simulator']], [200, '1'])
})

test('usage errors and broken scenarios end with a message and a code, without a stack', async t => {
  const cases = [
    [['--port', 'x'], 2, /--port `x` must be a number from 0 to 65535/],
    [['--prot', '1'], 2, /Unknown option '--prot'/],
    [['--tls-key', 'x.pem'], 2, /`--tls-key` and `--tls-cert` go together/],
    [['--tls-key', 'nowhere.pem', '--tls-cert', 'nowhere.pem'], 1, /ENOENT.*nowhere\.pem/],
    [['--scenario', 'nowhere.json'], 1, /scenario `nowhere\.json` cannot be used/],
  ]
  for (const [args, code, message] of cases) {
    const { output, closed } = run(t, ...args)
    assert.equal(await closed, code)
    assert.match(output.stderr, message)
    assert.doesNotMatch(output.stderr, /\n {4}at /)
  }
})
