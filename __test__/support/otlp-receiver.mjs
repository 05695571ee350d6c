// An OTLP endpoint on loopback, as a collector has it: keeps the spans that are sent to it as JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'

const attributesOf = list => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))

/**
 * @param {(end: () => Promise<void>) => void} onEnd is given what ends it
 * @returns {Promise<{ url: string, spans: { name: string, traceId: string, spanId: string, parentSpanId?: string,
 *   attributes: object, resource: object, scope: string }[], headers: object[] }>} filled as requests come
 */
export async function startOtlpReceiver(onEnd) {
  const received = { url: '', spans: [], headers: [] }
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const isTraces = request.method === 'POST' && request.url === '/v1/traces'
    response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    if (!isTraces) return
    received.headers.push(request.headers)
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks)).resourceSpans) {
      for (const { scope, spans } of scopeSpans) {
        for (const span of spans)
          received.spans.push({
            ...span,
            attributes: attributesOf(span.attributes),
            resource: attributesOf(resource.attributes),
            scope: scope.name,
          })
      }
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  received.url = `http://127.0.0.1:${server.address().port}`
  return received
}
