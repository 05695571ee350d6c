import { createServer } from 'node:net'

import { createGeminiImages } from '../../tools/_services/gemini-images.js'
import { createImageService } from '../../tools/_services/image-service.js'
import { createOpenAiImages } from '../../tools/_services/openai-images.js'
import { createPlaceholderImages } from '../../tools/_services/placeholder-images.js'
import { ServiceError } from '../../tools/_services/service-errors.js'
import * as handler from '../../tools/image_generate/handler.js'
import { jpeg, png, webp } from './support/images.mjs'
import { startJsonServer } from './support/json-server.mjs'
import { INJECTION, failing, hanging, takes, toolRunner } from './support/run-tool.mjs'

const run = toolRunner(handler, 'image_generate')
const KEY = 'tg_0123456789abcdef0123456789abcdef'
const generate = (image, args = { prompt: 'A lighthouse' }, over = {}) =>
  run(args, { services: { image }, meta: { idempotencyKey: KEY }, ...over })
const generatorOf = bytes => ({ generate: async () => ({ bytes, model: 'm' }) })
/** Of a server that has gone. */
async function unusedAddress() {
  const server = createServer()
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
const id = expect.stringMatching(/^img_[0-9a-f]{32}$/)

describe('the tool', () => {
  test('passes prompt, size and key on, and returns no bytes', async () => {
    const asked = []
    const { signal } = new AbortController()
    const image = createImageService(
      { generate: async (...args) => (asked.push(args), { bytes: png(3, 2), model: 'm' }) },
      { urlOf: own => `/images/${own}` },
    )
    const response = await generate(image, { prompt: INJECTION, size: 'portrait' }, { signal })
    expect(response).toEqual({
      ok: true,
      data: {
        image_id: id,
        url: `/images/${response.data.image_id}`,
        media_type: 'image/png',
        width: 3,
        height: 2,
        bytes: 64,
        model: 'm',
        simulated: false,
      },
    })
    expect(asked).toEqual([
      [
        { prompt: INJECTION, size: 'portrait' },
        { idempotencyKey: KEY, signal },
      ],
    ])
    expect(response.data.image_id).not.toContain(KEY.slice(3))
    expect(image.get(response.data.image_id)).toEqual({ bytes: png(3, 2), mediaType: 'image/png' })
    expect(image.get('img_other')).toBeNull()
  })

  test('after a lost answer the image may have been made', async () => {
    const expected = { type: 'TRANSIENT', retryable: false, partialSideEffects: true, details: { outcome: 'unknown' } }
    const lost = await generate({ generate: failing(new ServiceError('TIMEOUT', 'key 123')) })
    expect(lost).toMatchObject({ ok: false, error: expected })
    expect(JSON.stringify(lost)).not.toContain('123')
    for (const garbage of [null, undefined, {}, 'x']) {
      expect(await generate({ generate: async () => garbage })).toMatchObject({ ok: false, error: expected })
    }
    const unsent = await generate({ generate: failing(new ServiceError('UNAVAILABLE', '', { unsent: true })) })
    expect(unsent).toMatchObject({ ok: false, error: { type: 'TRANSIENT', retryable: true } })
  })

  test('a refused prompt, a fault, a caller that stops', async () => {
    const refused = await generate({ generate: failing(new ServiceError('REJECTED', 'policy')) })
    expect(refused).toMatchObject({ ok: false, error: { type: 'PERMANENT', partialSideEffects: false } })
    await expect(generate({ generate: failing(new RangeError('bug')) })).rejects.toThrow(RangeError)
    const waiting = generate({ generate: hanging }, undefined, { signal: AbortSignal.timeout(20) })
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('what the schema keeps out', () => {
    const bad = [
      {},
      { prompt: '' },
      { prompt: ' ' },
      { prompt: 'x'.repeat(2001) },
      { prompt: 'x', size: '4k' },
      { prompt: 'x', n: 10 },
    ]
    for (const args of bad) expect([args, takes('image_generate', args)]).toEqual([args, false])
  })
})

describe('the service', () => {
  const request = { prompt: 'x', size: 'square' }
  const counting = () => {
    const counter = { calls: 0 }
    counter.generate = async () => ({ bytes: png((counter.calls += 1)), model: 'm' })
    return counter
  }

  test('one image for each key, also at the same time', async () => {
    const counter = counting()
    const image = createImageService(counter)
    const options = { idempotencyKey: 'a' }
    const [one, two] = await Promise.all([image.generate(request, options), image.generate(request, options)])
    expect([one, await image.generate(request, options)]).toEqual([two, two])
    expect(one).toEqual({
      id,
      url: null,
      byteLength: 64,
      mediaType: 'image/png',
      width: 1,
      height: 480,
      model: 'm',
      simulated: false,
    })
    await image.generate(request, { idempotencyKey: 'b' })
    await image.generate(request)
    expect(counter.calls).toBe(3)
  })

  test('a failed key can be tried again', async () => {
    const answers = [failing(new ServiceError('UNAVAILABLE', 'x')), async () => ({ bytes: png(), model: 'm' })]
    const image = createImageService({ generate: () => answers.shift()() })
    const options = { idempotencyKey: 'a' }
    await expect(image.generate(request, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect((await image.generate(request, options)).id).toEqual(id)
  })

  test('a bound of images', async () => {
    const counter = counting()
    const image = createImageService(counter, { mostImages: 2 })
    const ids = []
    for (const idempotencyKey of ['a', 'b', 'c']) ids.push((await image.generate(request, { idempotencyKey })).id)
    expect(ids.map(own => image.get(own) !== null)).toEqual([false, true, true])
  })

  test.each([
    ['png', png(3, 2), 'image/png'],
    ['jpeg', jpeg(3, 2), 'image/jpeg'],
    ['lossy webp', webp('VP8 ', 3, 2), 'image/webp'],
    ['lossless webp', webp('VP8L', 3, 2), 'image/webp'],
    ['extended webp', webp('VP8X', 3, 2), 'image/webp'],
  ])('%s is known by its bytes', async (_, bytes, mediaType) => {
    expect(await createImageService(generatorOf(bytes)).generate(request)).toMatchObject({
      mediaType,
      width: 3,
      height: 2,
    })
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<html><script>alert(1)</script>'.repeat(4))],
    ['half a png', png().subarray(0, 20)],
    ['a png of no size', png(0, 0)],
    ['half a jpeg', jpeg().subarray(0, 12)],
    ['a jpeg without a frame', Buffer.from([0xff, 0xd8, ...Array.from({ length: 100 }, () => 0xff)])],
    ['an unknown webp', webp('ABCD')],
    ['an svg of a provider', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a text', 'image'],
    ['too much', Buffer.alloc(20_000_001)],
  ])('%s is no image', async (_, bytes) => {
    await expect(createImageService(generatorOf(bytes)).generate(request)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })
})

describe('the placeholder', () => {
  const svgOf = async (prompt, size = 'square') => {
    const image = createImageService(createPlaceholderImages())
    const { data } = await generate(image, { prompt, size })
    return { data, svg: image.get(data.image_id).bytes.toString('utf8') }
  }

  test('says that it is one', async () => {
    const { data, svg } = await svgOf('A lighthouse', 'landscape')
    expect(data).toMatchObject({
      media_type: 'image/svg+xml',
      width: 1536,
      height: 1024,
      model: 'toolgate-placeholder',
      simulated: true,
    })
    expect(svg).toContain('Placeholder, not a generated image')
    expect(svg).toContain('>A lighthouse</text>')
  })

  test('a prompt is only text in it', async () => {
    const { svg } = await svgOf(`"><script>alert(1)</script>&${INJECTION}${'長'.repeat(500)}`)
    expect(svg).not.toMatch(/<script|\u0000/)
    expect(svg.match(/<text/g)).toHaveLength(9)
  })
})

const failures = [
  ['a wrong key', { status: 401 }, { code: 'AUTH_ERROR' }],
  ['a refused prompt', { status: 400, body: { error: { code: 'moderation_blocked' } } }, { code: 'REJECTED' }],
  ['too many requests', { status: 429, headers: { 'retry-after': '9' } }, { code: 'RATE_LIMIT', retryAfter: 9 }],
  ['an outage', { status: 503 }, { code: 'UNAVAILABLE' }],
  ['no JSON', { body: '<html>' }, { code: 'UNAVAILABLE' }],
  ['a cut connection', { cut: true }, { code: 'UNAVAILABLE' }],
  ['silence', { hang: true }, { code: 'TIMEOUT' }],
]

describe.each([
  ['OpenAI Images', createOpenAiImages],
  ['Gemini', createGeminiImages],
])('%s', (_, create) => {
  test.each(failures)('%s', async (_name, answer, expected) => {
    const { baseUrl } = await startJsonServer(() => answer)
    const image = createImageService(create({ apiKey: 'sk-secret', baseUrl, timeoutMs: answer.hang ? 1000 : 300_000 }))
    const error = await image.generate({ prompt: 'x', size: 'square' }).catch(caught => caught)
    expect(error).toMatchObject({ name: 'ServiceError', ...expected })
    expect(error.unsent).toBeUndefined()
    expect(`${error.message}${error.stack}`).not.toContain('sk-secret')
  })

  test('nothing was sent if nothing listens', async () => {
    const { generate: send } = create({ apiKey: 'sk-secret', baseUrl: await unusedAddress() })
    await expect(send({ prompt: 'x', size: 'square' }, {})).rejects.toMatchObject({ code: 'UNAVAILABLE', unsent: true })
  })
})

test('OpenAI Images: the request and the image', async () => {
  const { baseUrl, requests } = await startJsonServer(() => ({
    body: { created: 1, data: [{ b64_json: png(3, 2).toString('base64') }] },
  }))
  const image = createImageService(createOpenAiImages({ apiKey: 'sk-secret', baseUrl }))
  const { data } = await generate(image, { prompt: 'A lighthouse', size: 'landscape' })
  expect(data).toMatchObject({
    media_type: 'image/png',
    width: 3,
    height: 2,
    model: 'gpt-image-2.6-flare',
    simulated: false,
  })
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/images/generations',
    headers: { authorization: 'Bearer sk-secret', 'idempotency-key': KEY },
    body: { model: 'gpt-image-2.6-flare', prompt: 'A lighthouse', n: 1, size: '1536x1024' },
  })
})

test('Gemini: the request, the image, and a filtered prompt', async () => {
  const part = { inlineData: { mimeType: 'image/jpeg', data: jpeg(3, 2).toString('base64') } }
  const answers = [
    { candidates: [{ content: { parts: [{ text: 'Here it is.' }, part] } }] },
    { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
    { candidates: [{ finishReason: 'IMAGE_SAFETY' }] },
    { candidates: [{ content: { parts: [{ text: 'I cannot draw this.' }] } }] },
    {},
  ]
  const { baseUrl, requests } = await startJsonServer(() => ({ body: answers.shift() }))
  const image = createImageService(createGeminiImages({ apiKey: () => 'g-secret', baseUrl }))
  const call = idempotencyKey =>
    generate(image, { prompt: 'A lighthouse', size: 'portrait' }, { meta: { idempotencyKey } })
  expect((await call('a')).data).toMatchObject({ media_type: 'image/jpeg', model: 'gemini-3.1-flash-image' })
  for (const key of ['b', 'c', 'd', 'e']) expect((await call(key)).error.type).toBe('PERMANENT')
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/models/gemini-3.1-flash-image:generateContent',
    headers: { 'x-goog-api-key': 'g-secret' },
    body: {
      contents: [{ role: 'user', parts: [{ text: 'A lighthouse' }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '3:4' } },
    },
  })
})
