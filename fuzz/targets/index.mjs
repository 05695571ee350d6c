// All targets, in the order in which they run.
import * as artifact from './artifact.mjs'
import * as bounds from './bounds.mjs'
import * as completion from './completion.mjs'
import * as gate from './gate.mjs'
import * as hostile from './hostile.mjs'
import * as lowering from './lowering.mjs'
import * as realSchemas from './real-schemas.mjs'
import * as redis from './redis.mjs'
import * as storeFile from './store-file.mjs'
import * as validation from './validation.mjs'
import * as messages from './messages.mjs'

/**
 * @typedef {(what: string) => void} Count counts what a step did, for the report
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {(random: import('../random.cjs').Random, count: Count, context: any) => Promise<import('../report.mjs').Disagreement[]>} step
 * @property {() => Promise<any>} [open] makes what all steps share
 * @property {(context: any) => Promise<unknown>} [close]
 */

/** @type {Target[]} */
export const TARGETS = [
  validation,
  realSchemas,
  completion,
  gate,
  lowering,
  bounds,
  artifact,
  messages,
  redis,
  storeFile,
  hostile,
]
