'use strict'

// What a server answers to the probes of an orchestrator, in one shape for every server.

const { version } = require('../../package.json')

/** The paths that `answer` knows. @type {Map<string, 'alive' | 'ready'>} */
const PROBES = new Map([
  ['/healthz', 'alive'],
  ['/readyz', 'ready'],
])

/** @param {import('./index').HealthProbeOptions} options @returns {import('./index').HealthProbes} */
function createHealthProbes({ registry, isDraining = () => false, details = () => ({}) }) {
  const probes = {
    /** @returns {Promise<import('./index').ProbeAnswer<import('./index').Liveness>>} */
    async alive() {
      const toolsVersion = await loaded(registry, tools => tools.getVersion())
      return { status: 200, body: { ok: true, version, toolsVersion, details: details() } }
    },
    async ready() {
      const health = await loaded(registry, tools => (tools.getVersion(), tools.health()))
      return readiness(health, isDraining())
    },
  }
  return {
    ...probes,
    answer(request, response) {
      const probe = PROBES.get(pathOf(request))
      if (probe === undefined) return false
      probes[probe]().then(answer => send(response, answer))
      return true
    },
  }
}

/**
 * What `read` returns of the loaded registry. Null if it is not loaded: that is no reason to restart a process.
 * @template T
 * @param {import('./index').HealthProbeOptions['registry']} registry
 * @param {(tools: import('toolgate').ToolRegistry) => T | Promise<T>} read
 */
async function loaded(registry, read) {
  try {
    return await read(await registry())
  } catch {
    return null
  }
}

/** Says which part fails, not why. @param {import('toolgate').RegistryHealth | null} health @param {boolean} isDraining */
function readiness(health, isDraining) {
  const draining = isDraining || (health?.closing ?? false)
  const ok = !draining && (health?.ok ?? false)
  const body = {
    ok,
    draining,
    registry: health !== null,
    store: health !== null && health.storeError === null,
    audit: health !== null && !health.audit.failing,
    auditLinesLost: health?.audit.lost ?? 0,
  }
  return { status: ok ? 200 : 503, body }
}

/** @param {import('node:http').IncomingMessage} request */
const pathOf = ({ url }) => String(url).split('?', 1)[0] ?? ''

/** @param {import('node:http').ServerResponse} response @param {import('./index').ProbeAnswer<object>} answer */
function send(response, { status, body }) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

module.exports = { createHealthProbes }
