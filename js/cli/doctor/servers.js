'use strict'

// Checks the settings of the voice server and of the web app in the environment, by what these servers read them with.

const { statSync } = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const http = require('../../http/index.js')
const { readToolSet } = require('../../tool-sets/tool-set.js')
const { messageOf } = require('../../values/foreign.js')
const { counted } = require('../counted.js')
const { ok, problem, warning } = require('./check-result.js')

/** @typedef {import('./check-result.js').CheckResult} CheckResult */

/** What both servers read, and the web app; none of their messages has a secret. @type {((env: NodeJS.ProcessEnv) => unknown)[]} */
const READERS = [
  http.toolServiceSettings,
  http.auditSinkOf,
  http.metricsTokenOf,
  http.trustedProxiesOf,
  http.clientLimitsOf,
  http.logLevelOf,
  http.resumeSecretOf,
  http.cookieSecretOf,
  http.inspectorSecretOf,
  http.inspectorHostsOf,
  http.allowedHostsOf,
  http.webOriginsOf,
  http.traceEndpointOf,
]
const CORRECT = 'correct it; docs/configuration.md has every setting'

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [home] the project's folder
 * @returns {Promise<CheckResult[]>} none if no setting of the servers is set, and nothing is wrong
 */
async function checkServers(env, home = process.cwd()) {
  const misspelt = http
    .misspeltSettings(env)
    .map(({ name, meant }) => warning('servers', `there is no setting ${name}`, `write ${meant}`))
  // Other names, such as PORT and HOST, are set by shells and containers too.
  const set = http.SETTINGS.filter(
    ({ name, readBy }) => name.startsWith('TOOLGATE_') && env[name] && isOfServer(readBy),
  )
  const wrong = READERS.flatMap(read => refusals(() => read(env)))
  const found = [
    ...misspelt,
    ...wrong,
    ...missingFiles(env, set),
    ...(await unreadableFiles(env)),
    ...checkWeb(env, set),
    ...(await checkVoice(env, set, home)),
  ]
  const results = found.filter(({ message }, index) => found.findIndex(other => other.message === message) === index)
  if (results.length > 0 || set.length === 0) return results
  return [ok('servers', `${counted(set.length, 'setting')} of the servers can be read`)]
}

/** @param {readonly string[]} readBy */
const isOfServer = readBy => readBy.includes('voice') || readBy.includes('web')

/** @param {() => unknown} read @returns {CheckResult[]} */
function refusals(read) {
  try {
    read()
    return []
  } catch (error) {
    return [problem('servers', messageOf(error), CORRECT)]
  }
}

/** @param {NodeJS.ProcessEnv} env @param {import('../../http/index').Setting[]} set */
function missingFiles(env, set) {
  return set
    .filter(({ name, isPath }) => isPath && !isFile(String(env[name])))
    .map(({ name }) => {
      const what = isThere(String(env[name])) ? 'is not a file' : 'does not exist'
      return problem('servers', `\`${env[name]}\` of ${name} ${what}`, `correct ${name}`)
    })
}

/** @param {string} file */
const isThere = file => statSync(path.resolve(file), { throwIfNoEntry: false }) !== undefined
/** @param {string} file */
const isFile = file => statSync(path.resolve(file), { throwIfNoEntry: false })?.isFile() === true

/** The data that both servers load at their start. @param {NodeJS.ProcessEnv} env */
async function unreadableFiles({ TOOLGATE_ARTIFACT: artifact = '', TOOLGATE_KNOWLEDGE_FILE: records = '' }) {
  const ofTools = isFile(artifact)
    ? await refused('TOOLGATE_ARTIFACT', () => readToolSet(path.resolve(artifact), {}))
    : []
  if (!isFile(records)) return ofTools
  const shipped = await import('../../shipped-tools/_services/knowledge-base.js').catch(() => null)
  const load = () => shipped?.createKnowledgeBase({ file: path.resolve(records) })
  return [...ofTools, ...(await refused('TOOLGATE_KNOWLEDGE_FILE', load))]
}

/** @param {string} name @param {() => unknown} load @returns {Promise<CheckResult[]>} */
async function refused(name, load) {
  try {
    await load()
    return []
  } catch (error) {
    return [problem('servers', `the file of ${name}: ${messageOf(error)}`, `correct ${name}`)]
  }
}

/** The web app alone. @param {NodeJS.ProcessEnv} env @param {import('../../http/index').Setting[]} set @returns {CheckResult[]} */
function checkWeb(env, set) {
  if (!set.some(({ readBy }) => readBy.join() === 'web')) return []
  const isSilent = set.some(({ name }) => name === 'TOOLGATE_VOICE_URL') && http.voiceUrlOf(env) === null
  return [
    ...(isSilent
      ? [problem('servers', 'TOOLGATE_VOICE_URL must be a URL that begins with `wss://` or `ws://`', CORRECT)]
      : []),
    ...(hasModel(env)
      ? []
      : [warning('servers', 'the web app has no model', 'set OPENAI_API_KEY, or TOOLGATE_OPENAI_BASE_URL')]),
  ]
}

/** @param {NodeJS.ProcessEnv} env */
function hasModel(env) {
  try {
    return http.openaiEndpoint(env) !== null
  } catch {
    // The readers report it.
    return true
  }
}

/**
 * The voice server alone, if its package is installed: it says itself what it would refuse.
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../../http/index').Setting[]} set
 * @param {string} home
 * @returns {Promise<CheckResult[]>}
 */
async function checkVoice(env, set, home) {
  const isNamed = set.some(({ readBy }) => readBy.join() === 'voice')
  const file = resolved(home) ?? (isNamed ? resolved(__dirname) : null)
  if ((set.length === 0 && !env.ALLOWED_ORIGINS) || file === null) return []
  const { checkEnvironment } = await import(pathToFileURL(file).href)
  // The environment is refused for its first fault.
  return [...refusals(() => http.voiceOriginsOf(env)), ...refusedOrLacking(checkEnvironment, env)]
}

/**
 * @param {(env: NodeJS.ProcessEnv) => { missingKey: string | null }} checkEnvironment
 * @param {NodeJS.ProcessEnv} env
 * @returns {CheckResult[]}
 */
function refusedOrLacking(checkEnvironment, env) {
  try {
    const { missingKey } = checkEnvironment(env)
    if (missingKey === null) return []
    const help = `set ${missingKey}`
    if (env.NODE_ENV === 'production') return [problem('servers', `the voice server needs ${missingKey}`, help)]
    return [
      warning('servers', `the voice server has no ${missingKey}, so a simulator answers in place of a model`, help),
    ]
  } catch (error) {
    return [problem('servers', messageOf(error), CORRECT)]
  }
}

/** The settings of the voice server, as a module of `folder` finds them. @param {string} folder @returns {string | null} */
function resolved(folder) {
  try {
    return createRequire(path.join(folder, 'any.js')).resolve('toolgate-voice-server/settings')
  } catch {
    return null
  }
}

module.exports = { checkServers }
