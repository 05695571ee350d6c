// A server that keeps running although its store has lost everything: an operator's signal lets it use the store again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { afterTest, toolSet } from '../support/tool-set.mjs'

const withRedis = hasRedis && process.platform !== 'win32' ? test : test.skip

/** Says after each line of its input whether a session can be created. */
const program = ({ artifact, url }) => `
  const { createRegistry } = require(${JSON.stringify(path.resolve('index.js'))})
  const { acceptStoreOnSignal, createLogger } = require(${JSON.stringify(path.resolve('js/http/index.js'))})
  const registry = createRegistry({ artifact: ${JSON.stringify(artifact)}, store: { redis: ${JSON.stringify(url)} }, onLog: () => {} })
  acceptStoreOnSignal(() => registry.acceptStore(), createLogger({ write: line => console.log(JSON.parse(line).message) }))
  const look = () => registry.createSession({ mode: 'text' }).then(() => 'used', () => 'refused')
  registry.load().then(() => process.stdin.on('data', async () => console.log(await look())))`

withRedis('a signal accepts the store of a running server', async () => {
  const { artifact } = await toolSet({ echo: {} })
  const server = await RedisServer.start()
  const child = spawn(process.execPath, ['-e', program({ artifact, url: server.url })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterTest(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const next = async () => (await once(lines, 'line'))[0]
  const look = () => {
    const line = next()
    child.stdin.write('look\n')
    return line
  }
  expect(await look()).toBe('used')
  await server.startEmpty()
  expect(await look()).toBe('refused')
  const said = next()
  child.kill('SIGUSR2')
  expect(await said).toBe('the store is used as it is now')
  expect(await look()).toBe('used')

  await server.kill()
  const failed = next()
  child.kill('SIGUSR2')
  expect(await failed).toBe('the store could not be accepted')
})
