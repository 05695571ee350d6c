#!/usr/bin/env node
// Starts the voice server from environment variables, which docs/configuration.md lists.
import {
  acceptStoreOnSignal,
  createLogger,
  keepCalls,
  loadAuthenticate,
  logLevelOf,
  misspeltSettings,
  requireAuthentication,
  toolServiceSettings,
} from 'toolgate/http'
import { exportTraces } from 'toolgate/otel'
import { createVoiceServer } from './server.js'
import { DEFAULT_HOST, KEYS, loadHostWork, readEnvironment } from './src/settings/environment.js'
import { configuredServices } from './src/settings/shipped-services.js'

const logger = createLogger({ level: logLevel() })

function logLevel() {
  try {
    return logLevelOf(process.env)
  } catch (error) {
    return fail(/** @type {Error} */ (error), createLogger())
  }
}

/** Ends the process. @param {{ message: string }} error @returns {never} */
function fail({ message }, log = logger) {
  log.error(message)
  process.exit(1)
}

/**
 * Starts the simulator in place of a missing key. Refused in production, so that no user takes it for a model.
 * @param {import('./src/providers/providers.js').ProviderName} provider
 * @param {NodeJS.ProcessEnv} env
 */
async function simulated(provider, { NODE_ENV }) {
  const missing = `${KEYS[provider]} is missing`
  if (NODE_ENV === 'production') throw new Error(missing)
  const notInstalled = () =>
    fail({ message: `${missing}, and so is the simulator: run \`npm install toolgate-simulator\`, or set the key` })
  const { startSimulator } = await import('toolgate-simulator').catch(notInstalled)
  const simulator = await startSimulator()
  logger.warn(`${missing}, using the simulator`, { simulator: simulator.url })
  return {
    simulator,
    settings: { apiKey: 'none', baseUrl: provider === 'gemini' ? simulator.url : `${simulator.url}/v1` },
  }
}

/** @param {NodeJS.Process} process */
async function start({ env }) {
  for (const { name, meant } of misspeltSettings(env)) logger.warn('unknown variable', { name, meant })
  const {
    chosen: { provider, settings: given },
    options,
  } = readEnvironment(env)
  const { simulator, settings } = given === null ? await simulated(provider, env) : { simulator: null, settings: given }
  const { services, fields } = await configuredServices(toolServiceSettings(env))
  if (fields) logger.info('services of the tools', fields)
  const authenticate = await loadAuthenticate(env.TOOLGATE_AUTHENTICATE)
  // Without a user's name whoever reaches the server may use it: only programs of this machine, unless a setting says otherwise.
  const { host = DEFAULT_HOST, allowAnonymous } = options
  requireAuthentication({ host, authenticate, allowAnonymous })
  const work = await loadHostWork(env)
  keepCalls(env, error => logger.warn('a call could not be kept for the inspector', { error: error.message }))
  const traces = exportTraces({ serviceName: 'toolgate-voice', env, logger })
  const server = await createVoiceServer({
    ...options,
    ...work,
    authenticate,
    allowAnonymous: authenticate === undefined,
    services,
    provider,
    [provider]: settings,
    logger,
  })
  logger.info('listening', { url: server.url, provider })
  return { server, simulator, traces }
}

const { server, simulator, traces } = await start(process).catch(fail)

acceptStoreOnSignal(() => server.acceptStore(), logger)
let stopping = false
/** @param {NodeJS.Signals} signal */
async function stop(signal) {
  if (stopping) process.exit(1)
  stopping = true
  logger.info('stopping', { signal })
  await server.close()
  await simulator?.close()
  await traces?.shutdown()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
