// Decides what an utterance asks for: a call with its arguments, a question back, or an answer without a tool.

import { hasSecond, isOneTopic, leftOver } from './accounted.js'
import { comingDays, later } from './moments.js'
import { intentsOf, OTHER_BOOKING, OTHER_CHANGE, plainRequest } from './intents.js'
import { addressesIn, readArguments } from './read-arguments.js'
import { questionFor, notHere } from './questions.js'
import { smallTalk } from './small-talk.js'
import { VOCABULARY } from './vocabulary.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Clock } from './clock.js'
 * @import { Intent } from './intents.js'
 * @import { Fit } from './pattern.js'
 * @import { Reading, ToolDeclaration, Utterance } from './read-arguments.js'
 *
 * @typedef {{ name: string, args: JsonObject }} PlannedCall
 *
 * @typedef {{ say: string, asks?: boolean, examples?: boolean } | { call: PlannedCall, title?: string, then?: (slot: string | null) => PlannedCall }} Plan
 *   `asks`: the next utterance may answer it; `examples`: sentences that work follow; `then`: the call that follows, at the free time that this one finds
 *
 * @typedef {{ declared: ToolDeclaration[], clock: Clock, spoken: boolean }} Setting
 */

const BOOKING_WORDS = /^(?:nothing|something|it|that|this|anything|one|an? )?$/i
const MEETING_SECONDS = 1800
const ARTICLE = /^(?:an?|the|our|my|some|another)\s+/i
const LOOSE_END =
  /[\s,;:]+(?:with|at|on|for|from|to|in|by|and|starting|of|this|next|about|(?:in|to|into|on) (?:my|our|the) (?:calendar|diary|schedule))?$/i

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
/** Tools that do something: a question whether or when it was done, or should be, is no request for it. */
const DOERS = new Set(['calendar_create_event', 'image_generate'])
const QUESTION_ABOUT =
  /^(?:(?:should|shall|must|may|might) (?:i|we)|was|were|did|had|have|has|is|are|am|does|do|there|when|why|how|who|which|where)\b/i
/** A number below zero, which no event has. */
const SIGNED = /\s[-−]\d/

/**
 * @param {string[]} utterances of the user, the newest last
 * @param {Setting} setting
 * @returns {Plan | null} null: not understood
 */
export function planFor(utterances, setting) {
  const text = utterances.at(-1) ?? ''
  if (CONTROL.test(text)) return null
  const direct = (text.length > LONGEST ? null : smallTalk(text)) ?? planRequest(text, setting)
  if (direct !== null && !('say' in direct && direct.asks)) return direct
  const earlier = utterances.length > 1 ? planFor(utterances.slice(0, -1), setting) : null
  if (earlier === null || !('say' in earlier) || !earlier.asks) return direct
  const joined = planRequest(`${utterances.at(-2)} ${text}`, setting)
  return joined !== null && 'call' in joined ? joined : (direct ?? joined)
}

/** @param {string} text @param {Setting} setting @returns {Plan | null} */
function planRequest(text, setting) {
  const parts = partsOf(text)
  if (parts === null) return null
  const { request, whole } = parts
  /** @type {Plan | undefined} */
  let answer
  for (const { intent, fit } of intentsOf(request)) {
    if (DOERS.has(intent.tool) && (QUESTION_ABOUT.test(request.trim()) || SIGNED.test(request))) continue
    const utterance = { text: request, spans: fit.spans, captured: whole(fit.captured) }
    const { plan, reading } = planTool(intent, utterance, setting)
    if (!isWhole(plan, { intent, fit, request, reading })) continue
    if ('call' in plan) return plan
    answer ??= plan
  }
  return answer ?? planOtherEvents(request, setting)
}

/** What no intent is for: other bookings, and changes of events. @param {string} request @param {Setting} setting @returns {Plan | null} */
function planOtherEvents(request, { declared }) {
  if (OTHER_CHANGE.test(request)) return { say: "I can't change or cancel events: I can only create new ones." }
  const [, what] = OTHER_BOOKING.exec(request) ?? []
  const hasCalendar = declared.some(({ name }) => name === 'calendar_create_event')
  return what === undefined || !hasCalendar || addressesIn(what).length > 0 || !isOneTopic(what)
    ? null
    : { say: questionAboutBooking(what, request), asks: true }
}

/** Parameters whose words are passed as they are, whatever they say. */
const VERBATIM = new Set(['text', 'data', 'results', 'pending_request'])
/** Parameters that hold sentences: they may have conditions, but no second request. */
const SENTENCES = new Set(['facts', 'need', 'prompt', 'idea'])
const NAME_OF_GUEST = /\b(?:with|and) (\p{Lu}[\p{L}-]+)/gu

/**
 * Whether all parts of a request are in the plan.
 *
 * @param {Plan} plan
 * @param {{ intent: Intent, fit: Fit, request: string, reading: Reading | null }} of reading: null if the tool is not declared
 */
function isWhole(plan, { intent, fit, request, reading }) {
  const given = Object.entries(fit.captured)
  const isClear = given.every(
    ([name, words]) => VERBATIM.has(name) || (SENTENCES.has(name) ? !hasSecond(words) : isOneTopic(words)),
  )
  if (!isClear || reading?.isClear === false || intent.isAbout?.(fit.captured, request) === false) return false
  // The knowledge base is searched for topics, not for days or years.
  const hasTime = (reading?.moments.dates.length ?? 0) > 0 || /\b(?:from|since|in|of|than) \d/i.test(request)
  if (intent.tool === 'kb_search' && hasTime) return false
  const spans = Object.values(fit.spans)
  const taken = reading === null ? [...spans] : reading.taken.filter(span => span !== fit.spans.title)
  // The title of an event is what remains of the words without times and guests.
  const title = 'call' in plan ? String(plan.title ?? plan.call.args.title ?? '') : (fit.captured.title ?? '')
  let from = fit.spans.title?.[0] ?? 0
  for (const word of title.toLowerCase().split(' ')) {
    const at = request.toLowerCase().indexOf(word, from)
    if (at < 0) continue
    from = at + word.length
    taken.push([at, from])
  }
  const addresses = addressesIn(request).length
  const names = [...request.matchAll(NAME_OF_GUEST)].filter(() => intent.tool === 'calendar_create_event')
  if (names.length <= Math.max(addresses, 'asks' in plan ? 1 : 0))
    for (const { 0: words, index } of names) taken.push([index, index + words.length])
  return leftOver(request, [...fit.open, ...spans], taken, VOCABULARY[intent.tool]).length === 0
}

/** A request that is longer has its text after a colon or on the next line. */
const LONGEST = 600
const LONGEST_HEAD = 200
const PASTED = '§pasted§'

/**
 * The request that the patterns read, and what restores a text to work on: it is passed unchanged, with its last full
 * stop. A long one has a stand-in while the patterns are tried, so that its length costs nothing.
 *
 * @param {string} utterance
 * @returns {{ request: string, whole: (captured: Record<string, string>) => Record<string, string> } | null}
 */
function partsOf(utterance) {
  if (utterance.length > LONGEST) {
    const at = utterance.slice(0, LONGEST_HEAD).search(/[:\n]/)
    const pasted = utterance.slice(at + 1).trim()
    const whole = (/** @type {Record<string, string>} */ captured) =>
      captured.text === PASTED ? { ...captured, text: pasted } : captured
    return at < 0 ? null : { request: `${plainRequest(utterance.slice(0, at))}: ${PASTED}`, whole }
  }
  const request = plainRequest(utterance)
  return {
    request,
    whole: captured => {
      const at = captured.text === undefined ? -1 : utterance.indexOf(captured.text)
      return at < 0 ? captured : { ...captured, text: utterance.slice(at).trim() }
    },
  }
}

/** @param {string} what @param {string} request */
function questionAboutBooking(what, request) {
  if (BOOKING_WORDS.test(what))
    return 'What shall I put into the calendar, when, and with whom? I need an e-mail address of each guest.'
  if (/^schedule/i.test(request))
    return `When shall "${what.replace(ARTICLE, '')}" be, and whom shall I invite? I need an e-mail address of each guest.`
  return `I can't book ${what}: I can only create events in the calendar. If it should be one, tell me when it is and whose e-mail address to invite.`
}

/**
 * @param {Intent} intent
 * @param {Utterance} utterance
 * @param {Setting} setting
 * @returns {{ plan: Plan, reading: Reading | null }}
 */
function planTool({ tool: name, given }, { text, captured, spans }, setting) {
  const tool = setting.declared.find(declared => declared.name === name)
  if (tool === undefined) return { plan: { say: notHere(name, setting) }, reading: null }
  const utterance = { text, captured: { ...given, ...captured }, spans }
  const reading = readArguments(tool, utterance, setting.clock)
  const { args, missing, nulls } = reading
  const complete = COMPLETIONS[name] ?? (() => ({}))
  const completed = complete(reading, utterance, setting)
  if ('plan' in completed) return { plan: /** @type {Plan} */ (completed.plan), reading }
  const whole = { ...args, ...completed }
  const open = missing.filter(parameter => whole[parameter] === undefined)
  if (open.length > 0) return { plan: { say: questionFor(open, tool), asks: true }, reading }
  return { plan: { call: { name, args: { ...nulls, ...withoutEmpty(whole) } } }, reading }
}

/** @param {JsonObject} args */
const withoutEmpty = args => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

/**
 * What a tool's schema cannot say: usual values of what the user left out.
 *
 * @type {Record<string, (reading: Reading, utterance: Utterance,
 *   setting: Setting) => JsonObject>}
 */
const COMPLETIONS = {
  calendar_create_event: completeEvent,
  calendar_get_availability: ({ moments }, _utterance, { clock }) => rangeOf(moments, clock),
  create_calendar_widget: ({ moments }, { text, captured }, { clock }) => ({
    ...rangeOf(moments, clock),
    title: captured.title === undefined ? undefined : titleIn(captured.title, text, moments.rest),
  }),
  create_chart: ({ args }) => ({
    type: args.type ?? 'bar',
    title: titleCase(
      String(args.title ?? 'Your numbers').replace(/^(?:(?:of|for|showing|about|with|the|our|my|these|this)\s+)+/i, ''),
    ),
  }),
  generate_proposal_draft: ({ args }) => (args.need === undefined ? {} : { facts: [`The need is: ${args.need}.`] }),
  format_datetime: ({ args }, _utterance, { clock }) => ({ time_zone: args.time_zone ?? clock.timeZone }),
  kb_search: ({ args }) => (String(args.query ?? '').length < 3 ? { query: undefined } : {}),
  rank_results: ({ args }) => (args.results?.length < 2 ? { results: undefined } : {}),
}

/** @param {Reading['moments']} moments @param {Clock} clock */
function rangeOf({ start, end, range, seconds }, clock) {
  if (start !== null && end === null) return { start_date: start, end_date: later(start, seconds ?? MEETING_SECONDS) }
  const meant = range ?? comingDays(clock)
  const now = new Date(clock.now)
  const isUnderWay = Date.parse(meant.start) < now.getTime() && now.getTime() < Date.parse(meant.end)
  return start !== null && end !== null
    ? { start_date: start, end_date: end }
    : { start_date: isUnderWay ? comingDays(clock).start : meant.start, end_date: meant.end }
}

/** @type {(typeof COMPLETIONS)[string]} */
function completeEvent({ args, moments }, { text, captured }, { declared, clock }) {
  const title = titleIn(captured.title ?? '', text, moments.rest)
  if (BOOKING_WORDS.test(title) && captured.title !== undefined)
    return { plan: { say: questionAboutBooking('', text), asks: true } }
  const attendees = args.attendees ?? []
  if (attendees.length === 0) {
    const guest = /\bwith ([\p{Lu}][\p{L}-]+)/u.exec(text)?.[1]
    const who =
      guest === undefined ? 'Whom shall I invite? I need their e-mail address.' : `What is ${guest}'s e-mail address?`
    return { plan: { say: who, asks: true } }
  }
  const event = { title: title || 'Meeting', attendees }
  if (moments.start !== null && Date.parse(moments.start) < clock.now.getTime())
    return { plan: { say: 'That time is over. When shall it be?', asks: true } }
  if (moments.start !== null) return event
  if (!declared.some(({ name }) => name === 'calendar_get_availability')) return { ...event, start_time: undefined }
  const { start_date: start, end_date: end } = rangeOf(moments, clock)
  const seconds = moments.seconds ?? MEETING_SECONDS
  const least = Math.max(15, Math.round(seconds / 60))
  return {
    plan: {
      title: event.title,
      call: {
        name: 'calendar_get_availability',
        args: { start_date: start, end_date: end, min_duration_minutes: least },
      },
      then: (/** @type {string} */ slot) => ({
        name: 'calendar_create_event',
        args: { ...args, ...event, start_time: slot, end_time: later(slot, seconds) },
      }),
    },
  }
}

/** The name of an event: what was captured, without times, guests and loose words. @param {string} captured @param {string} text @param {string} rest */
function titleIn(captured, text, rest) {
  if (new RegExp(`["“]${captured.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["”]`).test(text)) return captured
  const kept = captured.split(/\s+/).filter(word => rest.includes(word) && !addressesIn(word).length)
  let title = kept
    .join(' ')
    .replace(/\s+with\b.*$/i, '')
    .replace(ARTICLE, '')
  for (let before = ''; before !== title;) {
    before = title
    title = ` ${title}`.replace(LOOSE_END, '').trim()
  }
  return title.replace(ARTICLE, '')
}

/** @param {string} text */
const titleCase = text => text.charAt(0).toUpperCase() + text.slice(1).trim()
