'use strict'

// `toolgate sessions`: lists, shows, ends and erases the sessions of a store, and revokes grants.

const { counted } = require('../counted.js')
const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { parseCount } = require('../command-settings.js')
const { contents, operate, storeOf, takesStore } = require('../store-option.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { table } = require('../table.js')
const { harmless, lookOf, printedJson } = require('../terminal.js')

/**
 * @typedef {{ store?: string, principal?: string, limit?: number, audit?: string, json?: boolean }} SessionFlags
 * @typedef {(id: string | undefined, flags: SessionFlags, grant?: string) => Promise<number | void>} SessionsAction
 */

/** @type {Record<string, SessionsAction>} */
const ACTIONS = {
  async list(id, flags) {
    refuseId('list', id)
    const { listSessions } = require('../../operations/store-commands.js')
    const { principal, limit } = flags
    const list = await operate(() => listSessions(storeOf(flags), { principal, limit }))
    if (flags.json) return void process.stdout.write(printedJson(list))
    const heading = ['SESSION', 'PRINCIPAL', 'MODE', 'STATE', 'TURN', 'LAST USED', 'TOOLS']
    process.stdout.write(table([heading, ...list.sessions.map(asRow)], lookOf(process.stdout)))
    process.stdout.write(
      `\n${counted(list.sessions.length, 'session')}${list.more ? '; there are more, see `--limit`' : ''}\n`,
    )
    if (list.unreadable > 0) process.stderr.write(`${counted(list.unreadable, 'session')} can't be read\n`)
  },
  async show(id, flags) {
    const named = requireId('show', id)
    const { showSession } = require('../../operations/store-commands.js')
    const found = await operate(() => showSession(storeOf(flags), named))
    if (found === null) throw notFound(named)
    process.stdout.write(flags.json ? printedJson(found) : described(found))
  },
  async end(id, flags) {
    const named = requireId('end', id)
    const { endSession } = require('../../operations/store-commands.js')
    const ended = await operate(() => endSession(storeOf(flags), named))
    if (ended === null) throw notFound(named)
    if (flags.json) process.stdout.write(printedJson({ ended }))
    else process.stdout.write(harmless(`session \`${named}\` ${ended ? 'is ended' : 'had ended'}\n`))
  },
  async revoke(id, flags, grant) {
    const named = requireId('revoke', id)
    if (!grant) throw new UsageError("the grant's id is missing", `write \`toolgate sessions revoke ${named} <grant>\``)
    const { revokeGrant } = require('../../operations/store-commands.js')
    const revoked = await operate(() => revokeGrant(storeOf(flags), named, grant, { audit: auditOf(flags) }))
    if (revoked === null) throw notFound(named)
    if (flags.json) process.stdout.write(printedJson({ revoked }))
    else
      process.stdout.write(harmless(`grant \`${grant}\` ${revoked ? 'is revoked' : 'does not exist or had ended'}\n`))
    return revoked ? EXIT.ok : EXIT.failed
  },
  async erase(id, flags) {
    refuseId('erase', id)
    const { principal } = flags
    if (principal === undefined) throw new UsageError('no principal is named', 'write `--principal <principal>`')
    const { eraseSessions } = require('../../operations/store-commands.js')
    const report = await operate(() => eraseSessions(storeOf(flags), { principal }))
    process.stdout.write(flags.json ? printedJson(report) : `erased ${contents(report.erased)}\n`)
    const code = warnAbout(report)
    if (report.erased.sessions > 0) return code
    process.stderr.write(
      harmless(
        `no session belongs to the principal \`${principal}\`; \`toolgate sessions list\` shows the principals\n`,
      ),
    )
    return EXIT.failed
  },
}

/** @param {string} action @param {string | undefined} id @param {string | undefined} grant @param {SessionFlags} flags */
async function run(action, id, grant, flags) {
  if (!Object.hasOwn(ACTIONS, action)) {
    throw new UsageError(`\`sessions\` can't \`${action}\``, suggestion(action, Object.keys(ACTIONS)))
  }
  if (action !== 'revoke') {
    if (grant !== undefined) throw new UsageError(`\`${action}\` takes no grant: \`${grant}\``)
    if (flags.audit !== undefined) throw new UsageError(`\`${action}\` takes no \`--audit\``, SEE_HELP)
  }
  return ACTIONS[action](id, flags, grant)
}

const SEE_HELP = 'see `toolgate sessions --help`'

/** Where the processes of the store write their audit, if that is a file. @param {SessionFlags} flags */
function auditOf({ audit }) {
  const { auditSinkOf } = require('../../http/setting-values.js')
  const { TOOLGATE_AUDIT = 'none', TOOLGATE_AUDIT_ROTATE } = process.env
  const sink = auditSinkOf({ TOOLGATE_AUDIT: audit ?? TOOLGATE_AUDIT, TOOLGATE_AUDIT_ROTATE })
  return sink === 'stdout' ? 'none' : sink
}

/** @param {string} action @param {string | undefined} id */
function requireId(action, id) {
  if (id) return id
  throw new UsageError("the session's id is missing", `write \`toolgate sessions ${action} <id>\``)
}

/** @param {string} action @param {string | undefined} id */
function refuseId(action, id) {
  if (id !== undefined) throw new UsageError(`\`${action}\` takes no session: \`${id}\``)
}

/** @param {string} id */
const notFound = id => new CommandFailure(`there is no session \`${id}\``, '`toolgate sessions list` lists them')

/** @param {import('../../../index.js').ErasureReport} report */
function warnAbout({ unreadable, leftInLog }) {
  if (leftInLog) {
    process.stderr.write('deleted values are in the write-ahead log until the processes that use the store empty it\n')
  }
  if (unreadable.length === 0) return EXIT.ok
  const keys = unreadable.map(key => `\`${key}\``).join(', ')
  process.stderr.write(harmless(`sessions that can't be read may be of the principal, and stay: ${keys}\n`))
  return EXIT.failed
}

/** @param {import('../../../index.js').SessionSummary} session */
const asRow = ({ id, principal, mode, active, turn, usedAt, registryVersion }) =>
  [id, principal ?? '–', mode ?? '–', active ? 'active' : 'ended', String(turn), usedAt, registryVersion].map(harmless)

/** @param {import('../../../index.js').SessionOverview} session */
function described(session) {
  const look = lookOf(process.stdout)
  const { records, questions, grants, unreadable } = session
  const summary = table([['SESSION', 'PRINCIPAL', 'MODE', 'STATE', 'TURN', 'LAST USED', 'TOOLS'], asRow(session)], look)
  /** @param {{ tool: string, callId: string | null, turn: number, state: string }} call @param {string} time */
  const row = ({ tool, callId, turn, state }, time) => [tool, callId ?? '–', String(turn), state, time].map(harmless)
  const calls = [['TOOL', 'CALL', 'TURN', 'STATE', 'STARTED'], ...records.map(record => row(record, record.claimedAt))]
  const asked = [
    ['TOOL', 'CALL', 'TURN', 'STATE', 'EXPIRES'],
    ...questions.map(question => row({ ...question, state: countedState(question) }, question.expires)),
  ]
  const granted = [['GRANT', 'TOOL', 'SCOPE', 'CALLS LEFT', 'EXPIRES', 'VIA'], ...grants.map(grantRow)]
  return [
    summary,
    `\n${counted(records.length, 'record')}\n`,
    ...(records.length > 0 ? [table(calls, look)] : []),
    `\n${counted(questions.length, 'question')}\n`,
    ...(questions.length > 0 ? [table(asked, look)] : []),
    `\n${counted(grants.length, 'grant')}\n`,
    ...(grants.length > 0 ? [table(granted, look)] : []),
    ...(unreadable > 0 ? [`\n${counted(unreadable, 'row')} can't be read\n`] : []),
  ].join('')
}

/** @param {import('../../../index.js').SessionOverview['questions'][number]} question */
const countedState = ({ state, approvers }) =>
  approvers === null ? state : `${state}, ${approvers.confirmations} of ${approvers.count}`

/** @param {import('../../../index.js').SessionOverview['grants'][number]} grant */
const grantRow = ({ id, tool, scope, callsLeft, expires, via }) =>
  [id, tool, scope, String(callsLeft), expires, via ?? '–'].map(harmless)

module.exports = {
  name: 'sessions',
  summary: 'list, show, end or erase the sessions of a store, or revoke a grant',
  description: `\`list\` and \`show <id>\` print who a session belongs to, its turn, the states of its calls and questions, and its grants; never an
argument, a result or a value of its state. \`revoke <id> <grant>\` ends a grant: later calls are asked about, in every process.
\`end <id>\` ends a session: it takes no further calls, in no process. \`erase --principal <principal>\` deletes
the sessions of a principal with their records, answers and questions; a call of them that comes again runs again.`,
  examples: [
    'toolgate sessions list --store sessions.sqlite --principal user-17',
    'toolgate sessions show s-4711 --store redis://127.0.0.1:6379',
    'toolgate sessions revoke s-4711 tgg_4f2a --store s.sqlite --audit a.jsonl',
    'toolgate sessions end s-4711 --store sessions.sqlite',
    'toolgate sessions erase --principal user-17 --store sessions.sqlite',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesStore(
      command
        .argument('<action>', `what to do: ${Object.keys(ACTIONS).join(', ')}`)
        .argument('[id]', "the session's id, of `show`, `revoke` and `end`")
        .argument('[grant]', "the grant's id, of `revoke`"),
    )
      .option('--principal <principal>', 'the owner: of `list` a filter, of `erase` whose sessions are erased')
      .option(
        '--audit <file>',
        'of `revoke` the audit file that gets its line (default: TOOLGATE_AUDIT, if it names a file)',
      )
      .option('--limit <number>', 'the maximum that `list` prints (default: 100)', parseCount)
      .option('--json', 'print the result as JSON'),
  run,
}
