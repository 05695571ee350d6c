// Plays the actions of one step on an output. An output is one provider's way of saying things; this file knows none.

import { setTimeout as delay } from 'node:timers/promises'
import { lookUp, renderDeep, renderTemplate } from './scenario/template.js'

/**
 * @typedef {object} Output each member is optional but `say` and `calls`; a missing one is reported through `skip`
 * @property {(piece: string) => void} say
 * @property {(calls: RenderedCall[], pause: () => Promise<void>) => void | Promise<void>} calls `pause` is for between two
 *   pieces of arguments, where they are streamed
 * @property {(name: string) => void} skip told of an action that this protocol has no words for
 *
 * @typedef {object} RenderedCall
 * @property {string} name
 * @property {object} [args]
 * @property {string} [rawArgs]
 * @property {string | null} [id]
 * @property {'before' | 'after' | 'only'} [parts]
 * @property {boolean} [partId]
 * @property {boolean} [cut] the answer ends inside of this call
 */

/**
 * @param {object[]} actions
 * @param {object} view what templates see
 * @param {Output} output
 * @param {import('./scenario/compile.js').CompiledScenario['settings']} settings
 * @param {AbortSignal} signal stops between actions and pieces
 */
export async function perform(actions, view, output, settings, signal) {
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
    await performOne(name, value, { view, output, speak, pause, signal })
  }
}

async function performOne(name, value, { view, output, speak, pause, signal }) {
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

/** Cuts at code points, so that no piece ends in half a character. */
function piecesOf(text, size) {
  const points = Array.from(text)
  const pieces = []
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''))
  return pieces
}
