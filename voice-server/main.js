#!/usr/bin/env node
// Starts the voice server from the environment. What the variables mean stands in README.md.
import { createVoiceServer } from './server.js'
import { embeddedServices } from './src/embedded-services.js'
import { stderrLogger as logger } from './src/logger.js'

const DEFAULT_PORT = 8788

function fail(message) {
  logger.error(message)
  process.exit(1)
}

function readPort(text) {
  if (text === undefined || text === '') return DEFAULT_PORT
  const port = Number(text)
  return Number.isInteger(port) && port >= 0 && port <= 65535 ? port : fail(`PORT \`${text}\` must be a number from 0 to 65535`)
}

/** Without a key: the simulator, but never where users would take it for the real thing. */
async function chooseProvider({ GEMINI_API_KEY: apiKey, TOOLGATE_GEMINI_BASE_URL: baseUrl, NODE_ENV }) {
  if (apiKey) return { apiKey, baseUrl, simulator: null }
  if (baseUrl) return { apiKey: 'none', baseUrl, simulator: null }
  if (NODE_ENV === 'production') return fail('GEMINI_API_KEY is missing')
  const { startSimulator } = await import('toolgate-simulator').catch(() => fail('GEMINI_API_KEY is missing, and the simulator is not installed'))
  const simulator = await startSimulator()
  logger.warn('GEMINI_API_KEY is missing, the simulator answers', { simulator: simulator.url })
  return { apiKey: 'none', baseUrl: simulator.url, simulator }
}

function readAudit(text = 'stdout') {
  return ['none', 'stdout'].includes(text) ? text : { file: text }
}

/** `memory`, a redis URL, or the path of a file. */
function readStore(text = 'memory') {
  if (text === 'memory') return text
  return /^rediss?:\/\//.test(text) ? { redis: text } : { file: text }
}

const { env } = process
const { simulator, ...provider } = await chooseProvider(env)
const model = env.TOOLGATE_GEMINI_MODEL ? { model: env.TOOLGATE_GEMINI_MODEL } : {}
const services = await embeddedServices({ calendarFolder: env.TOOLGATE_CALENDAR_FOLDER || undefined })
  .catch((error) => fail(error.message))
const server = await createVoiceServer({
  services,
  port: readPort(env.PORT),
  host: env.HOST || undefined,
  gemini: { ...provider, ...model },
  artifact: env.TOOLGATE_ARTIFACT || undefined,
  audit: readAudit(env.TOOLGATE_AUDIT || undefined),
  store: readStore(env.TOOLGATE_STORE || undefined),
  allowedOrigins: env.ALLOWED_ORIGINS?.split(',').map((origin) => origin.trim()).filter(Boolean),
  resumeSecret: env.TOOLGATE_RESUME_SECRET || undefined,
  logger,
}).catch((error) => fail(error.message))
logger.info('listening', { url: server.url })

let stopping = false
async function stop(signal) {
  if (stopping) process.exit(1)
  stopping = true
  logger.info('stopping', { signal })
  await server.close()
  await simulator?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
