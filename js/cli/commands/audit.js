'use strict'

// `toolgate audit`: verifies audit files, and shows lines of them.

const { existsSync, readdirSync } = require('node:fs')
const { readFile } = require('node:fs/promises')
const path = require('node:path')

const { counted } = require('../counted.js')
const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { operate, storeOf, takesStore } = require('../store-option.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { harmless, harmlessJson, printedJson } = require('../terminal.js')
const { parseTime } = require('../time.js')

/**
 * @typedef {{ store?: string, inOrder?: boolean, json?: boolean, session?: string, call?: string, since?: string }} AuditFlags
 * @typedef {import('../../../index.js').AuditVerification} AuditVerification
 */

/** @type {Record<string, (files: string[], flags: AuditFlags) => Promise<number | void>>} */
const ACTIONS = {
  async verify(files, flags) {
    refuse('verify', flags, ['session', 'call', 'since'])
    const { verifyAudit } = require('../../observe/audit-files.js')
    const { inOrder } = flags
    files.forEach(mustExist)
    const chains = await operate(() => verifyAudit(files, { inOrder, ...keyOptions(flags) }))
    process.stdout.write(flags.json ? printedJson(chains) : harmless(chains.map(described).join('')))
    return chains.every(({ problemCount }) => problemCount === 0) ? EXIT.ok : EXIT.failed
  },
  async show(files, flags) {
    refuse('show', flags, ['inOrder', 'json'])
    const { session: sessionId, call: callId, since } = flags
    files.forEach(mustExist)
    let [incomplete, shown] = [0, 0]
    for (const file of files) {
      const printed = await operate(() => print(file, { sessionId, callId, since }))
      incomplete += printed.incomplete
      shown += printed.shown
    }
    if (incomplete > 0) process.stderr.write(`${counted(incomplete, 'line')} of killed processes can't be read\n`)
    if (shown === 0 && (sessionId ?? callId) !== undefined)
      throw new CommandFailure(`there is no line${soughtIn({ sessionId, callId, since })}`)
  },
  async hash(files, flags) {
    refuse('hash', flags, ['inOrder', 'session', 'call', 'since'])
    const { auditHashes } = require('../../observe/audit-files.js')
    for (const file of files) {
      const hashes = await operate(async () => auditHashes(await readText(file), keyOptions(flags)))
      const named = Object.entries(hashes).filter(([, hash]) => hash !== null)
      const shown = named.map(([name, hash]) => `${name} ${hash}  ${shortName(file)}\n`).join('')
      process.stdout.write(flags.json ? printedJson({ file, ...hashes }) : harmless(shown))
    }
  },
}

/** @param {string} file */
async function readText(file) {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`\`${file}\` can't be read`, /** @type {Error} */ (error).message)
  }
}

/** @param {string} action @param {string[]} named @param {AuditFlags} flags */
async function run(action, named, flags) {
  if (!Object.hasOwn(ACTIONS, action)) {
    throw new UsageError(`\`audit\` can't \`${action}\``, suggestion(action, Object.keys(ACTIONS)))
  }
  if (action === 'hash' && named.length === 0)
    throw new UsageError('no file is named', 'write `toolgate audit hash preview.txt`')
  return ACTIONS[action](named.length > 0 ? named : [fileOfEnvironment(action)], flags)
}

/** @param {string} action */
function fileOfEnvironment(action) {
  const { TOOLGATE_AUDIT: file } = process.env
  if (file && file !== 'none' && file !== 'stdout') return file
  throw new UsageError(
    'no audit file is named',
    `write \`toolgate audit ${action} audit.jsonl\`, or set TOOLGATE_AUDIT`,
  )
}

/** @param {Record<string, string | undefined>} filter */
function soughtIn({ sessionId, callId, since }) {
  const parts = [
    callId === undefined ? '' : ` of call \`${callId}\``,
    sessionId === undefined ? '' : ` of session \`${sessionId}\``,
    since === undefined ? '' : ` since ${since}`,
  ]
  return parts.join('')
}

/** @param {string} file its rotated files may be all that is left */
function mustExist(file) {
  const [folder, name] = [path.dirname(file), path.basename(file)]
  const isOfAudit = (/** @type {string} */ other) => other === name || other.startsWith(`${name}.`)
  if (!existsSync(folder) || !readdirSync(folder).some(isOfAudit))
    throw new CommandFailure(`there is no file \`${shortName(file)}\``)
}

/** @param {string} action @param {AuditFlags} flags @param {(keyof AuditFlags)[]} others options of the other action */
function refuse(action, flags, others) {
  const given = others.find(name => flags[name] !== undefined)
  if (given === undefined) return
  const option = given.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  throw new UsageError(`\`${action}\` takes no \`--${option}\``, 'see `toolgate audit --help`')
}

/** A key of the environment is used before the store's, as by a registry. @param {AuditFlags} flags */
function keyOptions(flags) {
  if (process.env.TOOLGATE_AUDIT_KEY) return {}
  if (flags.store === undefined && !process.env.TOOLGATE_STORE)
    throw new UsageError(
      'no key is named',
      'set TOOLGATE_AUDIT_KEY, or name the store that keeps the key with `--store`',
    )
  return { store: storeOf(flags) }
}

/** @param {AuditVerification} chain */
function described({ file, verified, before, first, last, incomplete, problems, problemCount }) {
  const range = first === null ? '' : `, ${first} to ${last} of the chain`
  const notes = [
    ...(before > 0 ? [`${counted(before, 'line')} before the chain began`] : []),
    ...(incomplete > 0 ? [`${counted(incomplete, 'incomplete line')} of killed processes`] : []),
    counted(problemCount, 'problem'),
  ]
  const lines = problems.map(found => `${shortName(found.file)}:${found.line}: ${found.problem}`)
  if (problemCount > problems.length) lines.push(`and ${counted(problemCount - problems.length, 'further problem')}`)
  if (verified === 0 && problemCount > 1) lines.push('no line fits: is this the key that they were written with?')
  return [`${shortName(file)}: ${counted(verified, 'line')} verified${range}; ${notes.join(', ')}`, ...lines, ''].join(
    '\n',
  )
}

/** @param {string} file */
function shortName(file) {
  const relative = path.relative('', file)
  return relative.startsWith('..') ? file : relative
}

/** Prints selected lines as fast as they are read. @param {string} file @param {Record<string, string | undefined>} filter */
async function print(file, filter) {
  const { auditLines } = require('../../observe/audit-files.js')
  const batches = auditLines(file, filter)
  let shown = 0
  for (;;) {
    const { done, value } = batches.next()
    if (done) return { shown, incomplete: value }
    shown += value.length
    await new Promise(resolve => process.stdout.write(harmlessJson(value), resolve))
  }
}

module.exports = {
  name: 'audit',
  summary: 'verify audit files, show lines of them, or hash what a user was shown',
  description: `\`verify\` finds lines that were changed, removed, added or moved, and names them by file and number; the key of the chain is
TOOLGATE_AUDIT_KEY, or kept by the store. \`show\` prints the lines of a session, of a call and the calls that it made, or since a time. Both read an
audit file together with its rotated files, also while processes write to it. \`hash\` prints the hashes by which lines of confirmations name the
preview or the arguments in a file, with the same key.`,
  examples: [
    'toolgate audit verify audit.jsonl --store sessions.sqlite',
    'toolgate audit verify old/audit.1 audit.jsonl --in-order',
    'toolgate audit show audit.jsonl --session s-4711 --since 2h',
    'toolgate audit show --call call_42',
    'toolgate audit hash preview.txt args.json --store sessions.sqlite',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesStore(
      command
        .argument('<action>', `what to do: ${Object.keys(ACTIONS).join(', ')}`)
        .argument('[files...]', 'the audit files (default: TOOLGATE_AUDIT); of `hash` the texts'),
    )
      .option('--in-order', 'of `verify`: the files are one chain in this order, renamed by another program')
      .option('--json', 'of `verify` and `hash`: print JSON')
      .option('--session <id>', 'of `show`: the lines of this session')
      .option('--call <id>', 'of `show`: the lines of this call')
      .option('--since <time>', 'of `show`: from this time on, such as 2026-03-01T08:00:00Z or 2h', parseTime),
  run,
}
