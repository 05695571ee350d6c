// The conversation of a browser: kept in the state of its session, so it is bounded, ends and is erased with the session,
// and every process that shares the store has it.
import type { Session, ToolResponse } from 'toolgate'
import type { ChatMessage } from './chat-message'
import { keptMessage, withAnswer } from './kept-message'

/** As many as the page sends to the model. */
const MAX_MESSAGES = 40
const FIELD = 'conversation.'

/** Each message has a field of its own: the history of a state keeps the values of its changes. */
interface KeptField {
  /** Counts the messages of the session; the newest replaces the oldest. */
  number: number
  message: ChatMessage
}

/** The kept messages, the oldest first. */
export function readConversation(session: Session): ChatMessage[] {
  return keptFields(session).map(({ message }) => message)
}

/** Keeps messages in their order. One that is kept already, by its id, is replaced in its place. */
export function keepMessages(session: Session, messages: ChatMessage[]): void {
  if (!session.state.get('isActive')) return
  const fields = keptFields(session)
  let next = (fields.at(-1)?.number ?? -1) + 1
  for (const message of messages.slice(-MAX_MESSAGES)) {
    const kept = keptMessage(message, (tool, args) => maskedArguments(session, tool, args))
    if (kept === null) continue
    const known = fields.find(field => field.message.id === kept.id)
    const number = known?.number ?? next++
    if (known && JSON.stringify(known.message) === JSON.stringify(kept)) continue
    setField(session, number, kept)
  }
}

/** Keeps the message that begins a turn. If it was sent before, its answer is made anew: what followed it is dropped. */
export function keepRequest(session: Session, message: ChatMessage): void {
  const known = keptFields(session).find(field => field.message.id === message.id)
  keepMessages(session, [message])
  if (known) for (const { number } of keptFields(session)) if (number > known.number) setField(session, number, null)
}

/** Puts the answer of a confirmed call in the place of its question. */
export function keepAnswer(session: Session, response: ToolResponse): void {
  if (!session.state.get('isActive')) return
  for (const { number, message } of keptFields(session)) {
    const changed = withAnswer(message, response.meta.callId, response)
    if (changed) setField(session, number, changed)
  }
}

function setField(session: Session, number: number, message: ChatMessage | null): void {
  const kept = message && { number, message: JSON.parse(JSON.stringify(message)) }
  session.state.set(`${FIELD}${number % MAX_MESSAGES}`, kept)
}

function keptFields(session: Session): KeptField[] {
  const fields = Object.entries(session.state.getSnapshot()).filter(([name]) => name.startsWith(FIELD))
  const kept = fields.flatMap(([, value]) => (value === null ? [] : [value as unknown as KeptField]))
  return kept.toSorted((a, b) => a.number - b.number)
}

/** Its rows by name: hidden characters are escaped, and sensitive values are masked. */
function maskedArguments(session: Session, tool: string, args: unknown): unknown {
  const rows = session.showArguments(tool, args)?.rows ?? []
  return Object.fromEntries(rows.map(({ name, value, short }) => [name, short ?? value]))
}
