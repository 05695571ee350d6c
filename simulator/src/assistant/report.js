// Says in sentences what a call came to. Ids appear as citations of a written answer only.

import { failureText } from './failure-text.js'
import { withinWorkingHours } from './free-times.js'
import { momentText, periodText } from './times.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Clock } from './clock.js'
 *
 * @typedef {{ clock: Clock, spoken: boolean, user: string }} Audience
 */

const MOST_SNIPPET = 300
/** Of the best score: what is further off would only distract. */
const LEAST_OF_BEST = 0.6
const LISTED = { spoken: 2, written: 3 }

/**
 * @param {string} tool
 * @param {unknown} result as the client sent it
 * @param {Audience} audience
 */
export function reportOf(tool, result, audience) {
  const { ok, data, error } = /** @type {JsonObject} */ (isObject(result) ? result : {})
  if (ok === false) return failureText(tool, isObject(error) ? error : {}, audience)
  const report = REPORTS[tool]
  if (report === undefined || !isObject(data)) return 'That is done.'
  return report(data, audience)
}

/** @type {Record<string, (data: JsonObject, audience: Audience) => string>} */
const REPORTS = {
  kb_search: ({ results = [] }, audience) =>
    cited(results, audience) ?? 'I found nothing about that in the knowledge base.',
  kb_get: (record, audience) => `${record.title}${mark(record, audience)}: ${snippetOf(record)}`,
  search_web: ({ answer, results = [] }, audience) => answer ?? found(results, audience),
  calendar_create_event: ({ title, start, end }, { clock }) =>
    `"${title}" is in the calendar: ${periodText(start, end, clock)}.`,
  calendar_get_availability: availability,
  create_calendar_widget: ({ slots = [] }, { clock }) =>
    slots.length === 0
      ? 'I found no free time there.'
      : `I found ${counted(slots.length, 'free time')} from ${momentText(slots[0].start, clock)} on. Choose one.`,
  lights_list: ({ lights = [] }) => `The lights: ${lights.map(lightText).join(', ')}.`,
  lights_set: light => `Done: ${lightText(light)}.`,
  create_chart: ({ title }) => `Here is the chart "${title}".`,
  calculate_roi: roi,
  validate_email: ({ email, valid, reason, looked_up: lookedUp }) =>
    valid ? wellFormed(email, lookedUp) : `"${email}" is not a valid address: ${reason}.`,
  format_datetime: ({ formatted, time_zone: zone }) => `It is ${formatted} in ${placeOf(zone)}.`,
  extract_contacts: ({ contacts = [] }) =>
    contacts.length === 0 ? 'I found no contact in that text.' : `I found ${contacts.map(contactText).join('; ')}.`,
  extract_action_items: ({ items = [] }) =>
    items.length === 0
      ? 'I found nothing to do in that text.'
      : `I found ${counted(items.length, 'thing')} to do: ${items.map(itemText).join('; ')}.`,
  generate_summary_preview: ({ preview }) => preview,
  draft_follow_up_email: ({ subject, body }, { spoken }) =>
    spoken
      ? `I have a draft with the subject "${subject}".`
      : `Here is a draft; nothing was sent.\n\n**${subject}**\n\n${body}`,
  generate_proposal_draft: ({ title, text }, { spoken }) =>
    spoken
      ? `I have a draft with the title "${title}".`
      : `Here is a draft; nothing was sent.\n\n**${title}**\n\n${text}`,
  image_generate: ({ simulated }) =>
    simulated ? 'Here is a placeholder for the image: no image service is set up.' : 'Here is the image.',
  image_draft_prompt: ({ prompts = [] }) =>
    `Here ${prompts.length === 1 ? 'is a prompt' : `are ${counted(prompts.length, 'prompt')}`} to choose from:\n\n${prompts.map((/** @type {string} */ text, /** @type {number} */ at) => `${at + 1}. ${text}`).join('\n')}`,
  linkedin_lookup: ({ name, url }, { spoken }) =>
    spoken
      ? `Yes, I have the LinkedIn profile of ${name}; its address is in the chat.`
      : `${name} is on LinkedIn: ${url}`,
  capture_screen_snapshot: ({ analysis }) => seen('screen', analysis),
  capture_webcam_snapshot: ({ analysis }) => seen('camera', analysis),
  rank_results: ({ ranked = [] }) =>
    `In this order: ${ranked.map((/** @type {JsonObject} */ { title, id }) => title ?? id).join(', ')}.`,
  get_dashboard_stats: ({ totals = {} }) =>
    `Since the start there were ${counted(totals.calls ?? 0, 'call')}, and ${counted(totals.errors ?? 0, 'error')} among them.`,
  reg_search: ({ tools = [] }) =>
    tools.length === 0
      ? 'I have no tool for that.'
      : `${tools
          .slice(0, 3)
          .map((/** @type {JsonObject} */ { title, summary }) => `${title}: ${summary}`)
          .join(' ')}`,
  reg_describe: ({ title, description }) => `${title}: ${description}`,
  start_voice_session: () => 'The voice call is starting.',
  end_voice_session: ({ finalMessage }) => finalMessage ?? 'Goodbye.',
  ignore_user: ({ farewellMessage, farewellDelivered }) =>
    farewellDelivered ? 'Until later.' : (farewellMessage ?? 'I will be back later.'),
}

/** @param {JsonObject[]} results @param {Audience} audience */
function cited(results, audience) {
  if (results.length === 0) return null
  const most = audience.spoken ? LISTED.spoken : LISTED.written
  const near = results.filter(({ score }) => typeof score !== 'number' || score >= results[0].score * LEAST_OF_BEST)
  return near
    .slice(0, most)
    .map(record => `According to ${record.title}${mark(record, audience)}: ${snippetOf(record)}`)
    .join(' ')
}

/** @param {JsonObject} record @param {Audience} audience */
const mark = ({ id }, { spoken }) => (spoken ? '' : ` [${id}]`)

/** @param {JsonObject} record */
function snippetOf({ snippet }) {
  const text = String(snippet ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (text === '') return 'no text is stored.'
  return text.length > MOST_SNIPPET ? `${text.slice(0, MOST_SNIPPET)}…` : text
}

/** @param {JsonObject[]} results @param {Audience} audience */
function found(results, { spoken }) {
  if (results.length === 0) return 'I found nothing on the web.'
  const shown = results.slice(0, spoken ? LISTED.spoken : LISTED.written)
  return spoken
    ? `I found ${shown.map(({ title }) => title).join(', and ')}.`
    : `I found: ${shown.map(({ title, url }) => `[${title}](${url})`).join(', ')}.`
}

/** @param {JsonObject} data @param {Audience} audience */
function availability({ available_slots: slots = [], existing_events: events = [] }, { clock }) {
  const free = withinWorkingHours(slots, clock)
  const busy =
    events.length === 0
      ? 'You have no event there.'
      : `You are busy ${events
          .slice(0, 4)
          .map((/** @type {JsonObject} */ { start, end }) => periodText(start, end, clock))
          .join('; ')}.`
  if (free.length === 0) return `${busy} No time is free in working hours.`
  const more = free.length > 4 ? `; and ${counted(free.length - 4, 'more time')}` : ''
  return `${busy} You are free ${free
    .slice(0, 4)
    .map(({ start, end }) => periodText(start, end, clock))
    .join('; ')}${more}.`
}

/** @param {JsonObject} data */
function roi({ roi_percent: percent, annualized_percent: yearly, period }) {
  const each = typeof yearly === 'number' && period !== 1 ? `, or ${round(yearly)} percent a year` : ''
  return typeof percent === 'number'
    ? `The return on investment is ${round(percent)} percent${each}.`
    : 'The return could not be calculated.'
}

/** @param {string} email @param {unknown} lookedUp */
function wellFormed(email, lookedUp) {
  const known = lookedUp === true ? 'its domain takes mail' : 'I did not look up whether its domain exists'
  return `"${email}" is well formed; ${known}, and whether the mailbox exists is not known.`
}

/** @param {JsonObject} light */
const lightText = ({ room, brightness }) => `${room} ${brightness === 0 ? 'off' : `${brightness} percent`}`

/** @param {JsonObject} contact */
function contactText({ name, emails = [], phones = [], urls = [] }) {
  return [name, ...emails, ...phones, ...urls].filter(Boolean).join(', ')
}

/** @param {JsonObject} item */
function itemText({ task, owner, due }) {
  const known = [owner && `by ${owner}`, due && `due ${due}`].filter(Boolean)
  return known.length === 0 ? task : `${String(task).replace(/\.$/, '')} (${known.join(', ')})`
}

/** @param {string} what @param {unknown} analysis */
const seen = (what, analysis) =>
  typeof analysis === 'string'
    ? `On your ${what} I see: ${analysis}`
    : `I have a picture of your ${what}, but nothing here can describe it.`

/** @param {string} zone */
const placeOf = zone => (zone === 'UTC' ? zone : (zone.split('/').at(-1) ?? zone).replaceAll('_', ' '))

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** @param {number} value */
const round = value => Math.round(value * 100) / 100

/** @param {unknown} value @returns {value is JsonObject} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
