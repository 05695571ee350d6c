// What monitoring asks over HTTP: the probes, and `/metrics`.
import { PROMETHEUS_TYPE, prometheusText } from 'toolgate'
import { createMetricsAccess, isForwarded, metricsRefusal } from 'toolgate/http'

const UNKNOWN_HOST = 'this server is not known by that host name: name it in `allowedHosts` (`TOOLGATE_ALLOWED_HOSTS`)'

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('./server-context.js').ServerContext} ServerContext
 */

/**
 * Probes are answered under any host name: an orchestrator uses its own, and their answers hold nothing of a user's.
 * @param {object} server
 * @param {ServerContext} server.context
 * @param {import('toolgate/http').HealthProbes} server.probes
 * @param {(host: string | undefined) => boolean} server.isKnownHost
 * @param {string} [server.token] of `/metrics`
 * @returns {(request: IncomingMessage, response: ServerResponse) => boolean} whether it was answered
 */
export function createMonitoring({ context, probes, isKnownHost, token }) {
  const [mayRead, refusal] = [createMetricsAccess(token), metricsRefusal(token)]
  return (request, response) => {
    if (probes.answer(request, response)) return true
    if (pathOf(request) !== '/metrics') return false
    if (!isKnownHost(request.headers.host)) answerJson(response, 403, { error: UNKNOWN_HOST })
    else if (!mayRead(askedBy(request))) answerJson(response, 401, { error: refusal })
    else void answerMetrics(response, context)
    return true
  }
}

/** @param {IncomingMessage} request */
export function pathOf(request) {
  return String(request.url).split('?', 1)[0]
}

/** @param {ServerResponse} response @param {number} status @param {object} body */
export function answerJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

/** @param {IncomingMessage} request */
function askedBy({ headers, socket }) {
  return { authorization: headers.authorization, peer: socket.remoteAddress, forwarded: isForwarded(headers) }
}

/** @param {ServerResponse} response @param {ServerContext} context */
async function answerMetrics(response, { registry, connections, counters }) {
  const own = [
    metricText('toolgate_voice_connections', 'gauge', 'Browsers that are connected.', connections.size),
    metricText(
      'toolgate_voice_provider_silences',
      'counter',
      'Silent connections replaced.',
      counters.providerSilences,
    ),
    metricText('toolgate_voice_answer_retries', 'counter', 'Failed answers asked for again.', counters.answerRetries),
    metricText('toolgate_voice_idle_endings', 'counter', 'Sessions ended while nobody spoke.', counters.idleEndings),
    metricText(
      'toolgate_voice_duration_endings',
      'counter',
      'Sessions ended by their longest duration.',
      counters.durationEndings,
    ),
  ]
  const text = prometheusText(registry.getMetrics(), await registry.health())
  response.writeHead(200, { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' })
  response.end(`${own.join('')}${text}`)
}

/** @param {string} name @param {'gauge' | 'counter'} type @param {string} help @param {number} value */
function metricText(name, type, help, value) {
  return `# TYPE ${name} ${type}\n# HELP ${name} ${help}\n${name}${type === 'counter' ? '_total' : ''} ${value}\n`
}
