// Questions back to the user, and what is said where a tool is not at hand.

/**
 * @import { Setting } from './plan.js'
 * @import { ToolDeclaration } from './read-arguments.js'
 */

/** By parameter. @type {Record<string, string>} */
const QUESTIONS = {
  start_time: 'When shall it be?',
  data: 'Which numbers shall it show? Write them with their labels, such as "rent 1200, food 450".',
  email: 'Which address shall I check?',
  facts: 'What shall it say?',
  recipient: 'To whom shall it be?',
  client: 'For whom shall it be?',
  need: 'What do they need?',
  investment: 'How much was put in, and how much came back?',
  gains: 'How much was put in, and how much came back?',
  prompt: 'What shall the image show?',
  idea: 'What shall the image show?',
  query: 'What shall I look for?',
  results: 'Which records shall I rank? Name at least two ids with their scores, such as "doc:a 0.3, doc:b 0.9".',
  person: 'Whose profile do you mean?',
  text: 'Which text do you mean? Paste it after a colon.',
  value: 'Which time do you mean?',
  room: 'Which room do you mean?',
}

/** @param {string[]} missing parameters @param {ToolDeclaration} tool */
export function questionFor(missing, { parameters }) {
  const questions = missing.map(
    name =>
      QUESTIONS[name] ??
      `I need one more thing: ${parameters?.properties?.[name]?.description ?? name.replaceAll('_', ' ')}`,
  )
  return [...new Set(questions)].join(' ')
}

/** By tool, what it does. @type {Record<string, string>} */
const DEEDS = {
  create_chart: 'draw charts',
  create_calendar_widget: 'show times to choose from',
  image_generate: 'make images',
  image_draft_prompt: 'draft prompts for images',
  extract_contacts: 'read contacts out of a text',
  start_voice_session: 'start a voice call',
  calendar_create_event: 'create calendar events',
  get_dashboard_stats: "read the gate's figures: that is for administrators",
}

/** @param {string} tool @param {Setting} setting */
export function notHere(tool, { spoken }) {
  if (tool === 'end_voice_session') return 'Goodbye.'
  if (tool === 'start_voice_session' && spoken) return 'We are talking already.'
  const deed = DEEDS[tool] ?? 'do that'
  const isOfText = spoken && tool in DEEDS && tool !== 'get_dashboard_stats' && tool !== 'calendar_create_event'
  return isOfText ? `In a call I can't ${deed}. The text chat can.` : `I can't ${deed} here.`
}
