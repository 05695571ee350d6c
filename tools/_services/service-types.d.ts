// Types that several host services and handlers share.

import type { HandlerResult } from 'toolgate'

/** Foreign JSON. `any`, because its members have no guaranteed type; the code that reads one checks it. */
export type JsonObject = Record<string, any>

/** What a handler returns for an expected failure. */
export type FailedResult = Extract<HandlerResult<never>, { ok: false }>

/** A period in date-times. */
export interface Period {
  start: string
  end: string
}

/** A period in epoch milliseconds. */
export interface Interval {
  start: number
  end: number
}

/** The options that every request to a service takes. */
export interface RequestOptions {
  signal?: AbortSignal
}

export interface WriteOptions extends RequestOptions {
  idempotencyKey?: string
}

/** An event of the `calendar` service. */
export interface ListedEvent extends Period {
  id: string
  title: string | null
  attendees: string[]
  /** False if it does not take the time. */
  busy?: boolean
  calendar?: string
}

export interface FreeBusyRequest extends RequestOptions {
  timeMin: string
  timeMax: string
  items: { id: string }[]
}

export interface EventsRequest extends RequestOptions {
  timeMin: string
  timeMax: string
  calendars: string[]
}

/** The host service `calendar`. */
export interface CalendarService {
  getFreeBusy(request: FreeBusyRequest): Promise<{ calendars: Record<string, { busy: Period[] }> }>
  getEvents(request: EventsRequest): Promise<ListedEvent[]>
  createEvent(
    event: import('./calendar-event.js').NewEvent,
    options?: WriteOptions,
  ): Promise<import('./calendar-event.js').CreatedEvent>
  /** The event that a key has created, wherever it was moved to; null if there is none. Without it, no outcome is looked up. */
  findEvent?(
    request: RequestOptions & { idempotencyKey: string },
  ): Promise<import('./calendar-event.js').CreatedEvent | null>
}

export interface SearchRequest extends RequestOptions {
  query: string
  urls?: string[]
}

/** The host service `search`. A result's members are unchecked. */
export interface SearchService {
  search(request: SearchRequest): Promise<{ results: JsonObject[]; source: string; answer?: string }>
}

export interface GenerationRequest extends RequestOptions {
  system: string
  prompt: string
  maxOutputTokens?: number
}

/** The host service `llm`. */
export interface LlmService {
  generate(request: GenerationRequest): Promise<{ text: string; model: string; simulated?: boolean }>
}
