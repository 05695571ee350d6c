// The schemas of the protocols, which the simulator itself compiles at their first use and does not check.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { toolSchema } from '../src/tool-schema.js'

const module = path => import(new URL(`../src/${path}.js`, import.meta.url).href)
const scenario = JSON.parse(readFileSync(new URL('../scenario.schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false })
ajv.addSchema(toolSchema)

for (const [name, path, pick] of [
  ['Chat Completions', 'chat/chat-request-schema', ({ requestSchema }) => [requestSchema]],
  ['generateContent', 'gemini/gemini-request-schema', ({ requestSchema }) => [requestSchema]],
  ['Messages', 'messages/messages-request-schema', ({ requestSchema }) => [requestSchema]],
  ['Responses', 'responses/responses-request-schema', all => [all.requestSchema, ...all.itemSchemas.values()]],
  ['Live', 'live/client-frame-schema', ({ clientFrameSchema }) => [clientFrameSchema]],
  ['Realtime', 'realtime/client-event-schema', all => [...all.eventSchemas.values(), ...all.itemSchemas.values()]],
  ['GPT-Live', 'gpt-live/client-events', ({ SCHEMAS }) => [...SCHEMAS.values()]],
  ['scenarios', 'index', () => [scenario]],
])
  test(`the schemas of ${name} are valid JSON Schema, and compile`, async () => {
    const schemas = pick(await module(path))
    assert.ok(schemas.length > 0)
    for (const schema of schemas) {
      assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors))
      ajv.compile(schema)
    }
  })
