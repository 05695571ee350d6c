// Spans that leave the process: what an endpoint receives, and what is reported of one that takes none.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

import { startOtlpReceiver } from '../support/otlp-receiver.mjs'
import { afterTest } from '../support/tool-set.mjs'

const INDEX = JSON.stringify(path.resolve('index.js'))
const OTEL = JSON.stringify(path.resolve('js/otel/index.js'))

/** Makes a call, and ends; prints whether it exported, and what was reported. */
const PROGRAM = `
const { createRegistry, shippedTools } = require(${INDEX})
const { exportTraces } = require(${OTEL})
const warnings = []
const logger = { error: message => warnings.push(message), warn: message => warnings.push(message) }
const main = async () => {
  const traces = exportTraces({ serviceName: 'orders', logger })
  const registry = await createRegistry({ artifact: shippedTools, audit: 'none' }).load()
  const session = await registry.createSession({ sessionId: 's-1', mode: 'text' })
  await session.execute({ id: 'call_0001', name: 'nosuchtool', args: {} })
  await registry.close()
  await traces?.shutdown()
  console.log(JSON.stringify({ exports: traces !== null, warnings }))
}
main()
`

/** @param {Record<string, string>} env */
async function play(env) {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], {
    env: { PATH: process.env.PATH, ...env },
    timeout: 120_000,
  })
  return JSON.parse(stdout)
}

test('a call arrives at the endpoint as a span of the service', async () => {
  const receiver = await startOtlpReceiver(afterTest)
  const { exports, warnings } = await play({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=studio',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  expect({ exports, warnings }).toEqual({ exports: true, warnings: [] })
  expect(receiver.spans).toEqual([
    expect.objectContaining({
      name: 'execute_tool (unknown)',
      scope: 'toolgate',
      attributes: expect.objectContaining({ 'gen_ai.tool.call.id': 'call_0001', 'error.type': 'NOT_FOUND' }),
      resource: expect.objectContaining({ 'service.name': 'orders', 'deployment.environment.name': 'test' }),
    }),
  ])
  expect(receiver.headers[0]).toMatchObject({ 'x-tenant': 'studio' })
})

test('the environment names the service', async () => {
  const receiver = await startOtlpReceiver(afterTest)
  await play({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`, OTEL_SERVICE_NAME: 'billing' })
  expect(receiver.spans.map(({ resource }) => resource['service.name'])).toEqual(['billing'])
})

test.each([
  ['no endpoint', () => ({})],
  ['an empty endpoint', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })],
  ['a disabled SDK', url => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' })],
  ['no exporter of traces', url => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' })],
])('nothing is exported with %s', async (_, env) => {
  const receiver = await startOtlpReceiver(afterTest)
  expect(await play(env(receiver.url))).toMatchObject({ exports: false })
  expect(receiver.spans).toEqual([])
})

test.each(['http://ada:pass-4711@[h', 'collector:4318'])(
  'an endpoint that is no URL is refused without its value: %s',
  async url => {
    for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
      const { stderr } = await play({ [name]: url }).catch(error => error)
      expect(stderr).toContain(`TypeError: ${name}: must be a URL that begins with`)
      expect(stderr).not.toContain(url)
    }
  },
)

test('an endpoint that does not answer holds up the end for seconds at most', async () => {
  const deaf = createServer(() => {}).listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  afterTest(() => void deaf.close())
  const { warnings } = await play({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${deaf.address().port}` })
  expect(warnings).toEqual(['the last spans were not sent: the endpoint does not answer'])
})

test('an endpoint that refuses spans is reported', async () => {
  const receiver = await startOtlpReceiver(afterTest)
  const { warnings } = await play({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/elsewhere` })
  expect(warnings).toEqual([expect.stringMatching(/^the last spans were not sent: .*(Not Found|404)/)])
})
