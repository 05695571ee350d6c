// Runs the actions of one scenario step on an output, which renders them in one provider's protocol.

import { setTimeout as delay } from 'node:timers/promises'
import { lookUp, renderDeep, renderTemplate } from './scenario/template.js'

/**
 * @typedef {object} ActionOutput all members but `say` and `calls` are optional; a missing one is reported to `skip`
 * @property {(piece: string) => void} say
 * @property {(calls: RenderedCall[], pause: () => Promise<void>) => void | Promise<void>} calls `pause` is awaited
 *   between two streamed pieces of arguments
 * @property {(name: string) => void} skip receives an action that the protocol does not support
 *
 * @typedef {object} RenderedCall
 * @property {string} name
 * @property {object} [args]
 * @property {string} [rawArgs]
 * @property {string | null} [id]
 * @property {'before' | 'after' | 'only'} [parts]
 * @property {boolean} [partId]
 * @property {boolean} [cut] the answer ends inside this call
 */

/**
 * @param {object[]} actions
 * @param {object} view values for templates
 * @param {ActionOutput} output
 * @param {import('./scenario/compile.js').CompiledScenario['settings']} settings
 * @param {AbortSignal} signal aborts between actions and between pieces
 */
export async function runActions(actions, view, output, settings, signal) {
  let label = settings.label
  const pause = async () => {
    if (settings.pieceDelayMs > 0) await delay(settings.pieceDelayMs, undefined, { signal })
    signal.throwIfAborted()
  }
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
    const [[name, value]] = Object.entries(action)
    await runAction(name, value, { view, output, speak, pause, signal })
  }
}

async function runAction(name, value, { view, output, speak, pause, signal }) {
  switch (name) {
    case 'say':
      return speak(renderTemplate(value.text ?? value, view), value.pieceChars)
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
    default:
      return output[name] === undefined ? output.skip(name) : output[name](value)
  }
}

function renderCall(call, view) {
  return call.args === undefined ? call : { ...call, args: renderDeep(call.args, view) }
}

function eachText({ path, text, separator = ' ', limit = Infinity }, view) {
  const { value } = lookUp(view, path)
  if (!Array.isArray(value)) return `(no ${path})`
  return value
    .slice(0, limit)
    .map((item, index) => renderTemplate(text, { ...view, item, number: index + 1 }))
    .join(separator)
}

/** Splits between code points, so that no piece ends inside a character. */
function piecesOf(text, size) {
  const points = Array.from(text)
  const pieces = []
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''))
  return pieces
}
