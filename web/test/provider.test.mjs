// Where the chat sends the key and what users say: the endpoint that is set, and no other.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

describe('the endpoint of the chat', () => {
  for (const name of ['TOOLGATE_OPENAI_BASE_URL', 'OPENAI_BASE_URL'])
    test(`is that of ${name}, also beside a key`, async t => {
      const { simulator } = await simulate(t)
      const { url } = await startWeb(t, { env: { OPENAI_API_KEY: 'of-a-gateway', [name]: `${simulator.url}/v1` } })
      assert.equal((await new Browser(url).say('What can you do?')).status, 200)
      assert.notEqual(simulator.received.length, 0)
    })

  test('must be a URL', async t => {
    const env = { OPENAI_API_KEY: 'of-a-gateway', TOOLGATE_OPENAI_BASE_URL: 'gateway.example' }
    await assert.rejects(startWeb(t, { env }), /TOOLGATE_OPENAI_BASE_URL must be a URL/)
  })
})
