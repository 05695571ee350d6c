'use strict'

// `toolgate store`: backs up, restores and checks a session store.

const { EXIT, UsageError } = require('../exit.js')
const { contents, operate, storeOf, takesStore } = require('../store-option.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { harmless, printedJson } = require('../terminal.js')

/**
 * @typedef {{ store?: string, force?: boolean, json?: boolean }} StoreFlags
 * @typedef {(file: string | undefined, flags: StoreFlags) => Promise<number | void>} StoreAction
 */

/** @type {Record<string, StoreAction>} */
const ACTIONS = {
  async backup(file, flags) {
    const to = requireFile('backup', file)
    const { backupStore } = require('../../operations/store-commands.js')
    const copy = await operate(() => backupStore(storeOf(flags), to))
    print(flags, copy, `backed up to ${copy.file}: ${contents(copy.counts)}, ${copy.bytes} bytes`)
  },
  async restore(file, flags) {
    const from = requireFile('restore', file)
    const { restoreStore } = require('../../operations/store-commands.js')
    const copy = await operate(() => restoreStore(from, storeOf(flags), { force: flags.force === true }))
    print(flags, copy, `restored ${copy.file}: ${contents(copy.counts)}, ${copy.bytes} bytes`)
  },
  async check(file, flags) {
    if (file !== undefined)
      throw new UsageError(`\`check\` takes no file: \`${file}\``, 'name the store with `--store`')
    const { checkStore } = require('../../operations/store-commands.js')
    const found = await operate(() => checkStore(storeOf(flags)))
    print(flags, found, [...describe(found), ...found.problems.map(problem => `problem: ${problem}`)].join('\n'))
    return found.problems.length === 0 ? EXIT.ok : EXIT.failed
  },
}

/** @param {string} action @param {string | undefined} file @param {StoreFlags} flags */
async function run(action, file, flags) {
  if (!Object.hasOwn(ACTIONS, action)) {
    throw new UsageError(`\`store\` can't \`${action}\``, suggestion(action, Object.keys(ACTIONS)))
  }
  return ACTIONS[action](file, flags)
}

/** @param {string} action @param {string | undefined} file */
function requireFile(action, file) {
  if (file) return file
  throw new UsageError('the file of the backup is missing', `write \`toolgate store ${action} sessions.backup\``)
}

/** @param {StoreFlags} flags @param {unknown} report @param {string} text */
function print({ json }, report, text) {
  process.stdout.write(json ? printedJson(report) : harmless(`${text}\n`))
}

/** @param {import('../../../index.js').StoreCheck} found */
function describe(found) {
  if (found.kind === 'redis') {
    const { evictionPolicy, persistence } = found
    const settings = evictionPolicy === null ? 'settings hidden' : `maxmemory-policy ${evictionPolicy}, ${persistence}`
    return [`redis: ${settings}`, contents(found.counts)]
  }
  if (found.kind === 'postgres') {
    const { schema, layout, durability } = found
    return [`postgres: schema ${schema}, layout ${layout}, ${durability}`, contents(found.counts)]
  }
  const { file, layout, bytes, logBytes, counts } = found
  return [
    `${file}: layout ${layout}, ${bytes} bytes, log ${logBytes} bytes`,
    counts === null ? 'its content cannot be counted' : contents(counts),
  ]
}

module.exports = {
  name: 'store',
  summary: 'back up, restore or check a session store',
  description: `\`backup <file>\` copies a file store while processes use it. \`restore <file>\` makes a backup the store; it refuses a store that
exists, unless \`--force\`, and one that is in use. \`check\` finds damage, prints the version of the tables and counts what a store keeps; of a
server it checks the settings that decide what can be forgotten.`,
  examples: [
    'toolgate store backup sessions.backup --store sessions.sqlite',
    'toolgate store restore sessions.backup --store sessions.sqlite --force',
    'toolgate store check --store redis://127.0.0.1:6379 --json',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesStore(
      command.argument('<action>', `what to do: ${Object.keys(ACTIONS).join(', ')}`).argument('[file]', 'the backup'),
    )
      .option('--force', 'let `restore` replace a store that exists')
      .option('--json', 'print the report as JSON'),
  run,
}
