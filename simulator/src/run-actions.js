// Runs the actions of one scenario step on an output, which renders them in one provider's protocol.

import { setTimeout as delay } from 'node:timers/promises'
import { lookUp, renderDeep, renderTemplate } from './scenario/template.js'

/**
 * @import { ActionEntry, ActionValues, CallAction, ScenarioAction, ScenarioSettings,
 *   TemplateView } from './scenario/types.js'
 */

/**
 * @typedef {Exclude<keyof ActionValues, 'say' | 'sayEach' | 'call' | 'calls' | 'wait'>} OutputActionName an action that
 *   the output alone runs
 *
 * @typedef {object} TextAndCallOutput
 * @property {(piece: string) => void} say
 * @property {(calls: CallAction[], pause: () => Promise<void>) => void | Promise<void>} calls `pause` is awaited
 *   between two streamed pieces of arguments
 * @property {(name: string) => void} skip receives an action that the protocol does not support
 *
 * @typedef {TextAndCallOutput & { [Name in OutputActionName]?: (value: ActionValues[Name]) => void }} ActionOutput a
 *   missing optional member is reported to `skip`
 *
 * @typedef {object} ActionRun the environment of the actions of one step
 * @property {TemplateView} view
 * @property {ActionOutput} output
 * @property {(text: string, pieceChars?: number) => Promise<void>} speak
 * @property {() => Promise<void>} pause
 * @property {AbortSignal} signal
 */

/**
 * @param {ScenarioAction[]} actions
 * @param {TemplateView} view values for templates
 * @param {ActionOutput} output
 * @param {ScenarioSettings} settings
 * @param {AbortSignal} signal aborts between actions and between pieces
 */
export async function runActions(actions, view, output, settings, signal) {
  let label = settings.label
  const pause = async () => {
    if (settings.pieceDelayMs > 0) await delay(settings.pieceDelayMs, undefined, { signal })
    signal.throwIfAborted()
  }
  /** @type {ActionRun['speak']} */
  const speak = async (text, pieceChars = settings.pieceChars) => {
    if (text === '') return
    const pieces = piecesOf(label + text, pieceChars)
    label = ''
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await pause()
      output.say(piece)
    }
  }
  for (const action of actions) {
    signal.throwIfAborted()
    const [entry] = /** @type {ActionEntry[]} */ (Object.entries(action))
    await runAction(entry, { view, output, speak, pause, signal })
  }
}

/**
 * @param {ActionEntry} entry
 * @param {ActionRun} run
 * @returns {Promise<unknown>}
 */
async function runAction([name, value], { view, output, speak, pause, signal }) {
  switch (name) {
    case 'say':
      if (typeof value === 'string') return speak(renderTemplate(value, view))
      return speak(value.literal ? value.text : renderTemplate(value.text, view), value.pieceChars)
    case 'sayEach':
      return speak(eachText(value, view))
    case 'call':
      return output.calls([renderCall(value, view)], pause)
    case 'calls':
      return output.calls(
        value.map(call => renderCall(call, view)),
        pause,
      )
    case 'wait':
      return delay(value, undefined, { signal })
    default: {
      // `disconnect: false` disconnects nothing.
      if (value === false) return undefined
      const run = /** @type {((value: unknown) => unknown) | undefined} */ (output[name])
      return run === undefined ? output.skip(name) : run.call(output, value)
    }
  }
}

/** @param {CallAction} call @param {TemplateView} view @returns {CallAction} */
function renderCall(call, view) {
  if (call.args === undefined || call.literal) return call
  return { ...call, args: /** @type {object} */ (renderDeep(call.args, view)) }
}

/** @param {import('./scenario/types.js').SayEachAction} action @param {TemplateView} view */
function eachText({ path, text, separator = ' ', limit = Infinity }, view) {
  const { value } = lookUp(view, path)
  if (!Array.isArray(value)) return `(no ${path})`
  return value
    .slice(0, limit)
    .map((item, index) => renderTemplate(text, { ...view, item, number: index + 1 }))
    .join(separator)
}

/** Splits between code points, so that no piece ends inside a character. @param {string} text @param {number} size */
function piecesOf(text, size) {
  const points = Array.from(text)
  const pieces = []
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''))
  return pieces
}
