'use strict'

// What the commands about a store have in common: the option `--store`, failures, counts.

const { counted } = require('./counted.js')
const { CommandFailure, UsageError } = require('./exit.js')

/** @param {import('commander').Command} command */
const takesStore = command =>
  command.option(
    '--store <store>',
    'the file of the store, or its redis:// or postgres:// URL (default: TOOLGATE_STORE)',
  )

/**
 * @param {{ store?: string }} flags
 * @returns {Exclude<import('../../index.js').StoreChoice, 'memory'>}
 * @throws {UsageError} if no store is named
 */
function storeOf({ store = process.env.TOOLGATE_STORE }) {
  const hint = 'write `--store sessions.sqlite` or `--store redis://127.0.0.1:6379`'
  if (store === undefined || store === '') throw new UsageError('no store is named', hint)
  const choice = choiceOf({ store })
  if (choice === 'memory') throw new UsageError('the store `memory` ends with its process', hint)
  return choice
}

/**
 * The store of a program that needs none. @param {{ store?: string }} flags
 * @returns {import('../../index.js').StoreChoice} `memory` if none is named
 */
function choiceOf({ store = process.env.TOOLGATE_STORE }) {
  const { storeFromSetting } = require('../gate/store-options.js')
  try {
    return storeFromSetting(store || undefined)
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message)
  }
}

/**
 * Runs an operator's function. A store that can't be used fails the command, not the program.
 * @template T @param {() => Promise<T>} operate @returns {Promise<T>}
 */
async function operate(operate) {
  try {
    return await operate()
  } catch (error) {
    const { code, message } = /** @type {Error & { code?: string }} */ (error)
    if (code === 'STORE_FAILED') throw new CommandFailure(message)
    if (error instanceof TypeError) throw new UsageError(message)
    throw error
  }
}

/** @param {import('../../index.js').StoreCounts} counts */
const contents = ({ sessions, records, answers, questions }) =>
  [
    counted(sessions, 'session'),
    counted(records, 'record'),
    counted(answers, 'answer'),
    counted(questions, 'question'),
  ].join(', ')

module.exports = { choiceOf, contents, operate, storeOf, takesStore }
