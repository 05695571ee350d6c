// Sentences that work now: each is understood, and calls a tool that the client declared.

import { intentsOf, plainRequest } from './intents.js'
import { planFor } from './plan.js'

/** @import { Setting } from './plan.js' */

/** In the order in which they are shown. @type {[tool: string, example: string][]} */
const EXAMPLES = [
  ['kb_search', 'who knows about onboarding?'],
  ['calendar_create_event', 'book a review with ada@example.com tomorrow at 3pm'],
  ['lights_set', 'dim the lights in the kitchen to 40 percent'],
  ['create_chart', 'draw a pie chart of rent 1200, food 450, travel 90'],
  ['calendar_get_availability', 'am I free tomorrow afternoon?'],
  ['create_calendar_widget', 'find a time for a review'],
  ['lights_list', 'which lights are on?'],
  ['format_datetime', 'what time is it in Tokyo?'],
  ['validate_email', 'is ada@example.com valid?'],
  ['search_web', 'search the web for accessibility'],
  ['calculate_roi', 'what is the ROI of 40000 if we gain 58000?'],
  ['draft_follow_up_email', 'write an email to Ada saying the estimate is ready'],
  ['generate_proposal_draft', 'draft a proposal for Acme about a new website'],
  ['generate_summary_preview', 'summarize: The audit took three days. Two of nine pages failed.'],
  ['extract_action_items', 'action items from: Kim sends the estimate by Friday.'],
  ['extract_contacts', 'extract contacts from: Ada Example, ada@example.com'],
  ['image_generate', 'generate an image of a lighthouse made of books'],
  ['image_draft_prompt', 'suggest prompts for a lighthouse made of books'],
  ['linkedin_lookup', "what is Ada Example's LinkedIn?"],
  ['capture_screen_snapshot', 'what is on my screen?'],
  ['capture_webcam_snapshot', 'what do you see in my webcam?'],
  ['get_dashboard_stats', 'show me the dashboard'],
  ['reg_search', 'which tool can draw charts?'],
  ['reg_describe', 'how do I use kb_search?'],
  ['start_voice_session', "let's talk"],
  ['end_voice_session', 'goodbye'],
]

/**
 * @param {Setting} setting
 * @param {number} most
 * @param {string} [request] examples of the tools that it seems to be about come first
 * @returns {string[]}
 */
function examplesFor(setting, most, request = '') {
  const meant = new Set([...intentsOf(plainRequest(request.slice(0, 300)))].map(({ intent }) => intent.tool))
  const declared = EXAMPLES.filter(([tool]) => setting.declared.some(({ name }) => name === tool))
  const inOrder = [
    ...declared.filter(([tool]) => meant.has(tool)),
    // Spoken, the answer names the way out too.
    ...declared.filter(([tool]) => setting.spoken && most > 1 && tool === 'end_voice_session'),
    ...declared.filter(([tool]) => !meant.has(tool)),
  ]
  const shown = new Set()
  for (const [tool, example] of inOrder) {
    if (shown.size === most) break
    const plan = planFor([example], setting)
    if (plan !== null && 'call' in plan && plan.call.name === tool) shown.add(example)
  }
  return [...shown]
}

/**
 * A sentence with examples under it, a line each: plain text for any client, of which a page can make buttons.
 *
 * @param {string} sentence
 * @param {Setting} setting
 * @param {{ most: number, request?: string }} choice
 */
export function withExamples(sentence, setting, { most, request }) {
  const examples = examplesFor(setting, most, request).map(example => `"${example}"`)
  if (examples.length === 0) return `${sentence} I know none of the tools that are declared here.`
  return setting.spoken
    ? `${sentence} Try ${examples.join(', or ')}.`
    : [`${sentence} Try:`, ...examples.map(example => `- ${example}`)].join('\n')
}
