// Prompts for an image through the host service `llm`. No image is made here.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

const MOST_CHARACTERS = 2000

/** @typedef {{ idea: string, style: string | null }} Wish */

/** @param {import('../../index.js').HandlerContext<{ idea: string, style?: string, count: number }>} context */
export function execute(context) {
  const { idea, style = null, count } = context.args
  return draftWith(context, {
    task: 'image_draft_prompt',
    instruction: 'Write `count` different prompts for an image generator that show `idea`, in `style` if it is given.',
    form: '{"prompts":["..."]}',
    input: { idea, style, count },
    maxOutputTokens: 1500,
    read: answer => read(answer, count),
    respond: (prompts, by) => success(toData(prompts, { idea, style }, by)),
  })
}

/**
 * @param {import('../_services/service-types.js').JsonObject} answer unchecked
 * @param {number} count
 * @returns {string[] | null}
 */
function read({ prompts }, count) {
  if (!Array.isArray(prompts)) return null
  const usable = prompts.slice(0, 20).map(prompt => plainText(prompt, MOST_CHARACTERS))
  const different = [...new Set(usable.filter(prompt => prompt !== ''))].slice(0, count)
  return different.length === 0 ? null : different
}

/** @param {string[]} prompts @param {Wish} wish @param {{ model: string, simulated: boolean }} by */
function toData(prompts, { idea, style }, by) {
  return {
    prompts,
    facts: [`Idea: ${idea}`, ...(style === null ? [] : [`Style: ${style}`])],
    may_not_claim: mayNotClaim(['that an image exists, or how it will look']),
    ...by,
  }
}
