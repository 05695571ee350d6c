// The body of `POST /api/chat`: the messages of `useChat`, reduced to the parts that a model may see.
// A browser can send any history. It grants nothing: it is only text for the model, and other parts are removed.
import { z } from 'zod'
import type { ChatMessage } from './chat-message'
import { readJsonBody } from './json-body'
import { type VoiceCredentials, voiceCredentials } from './voice-session'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_MESSAGES = 100
const MAX_PARTS = 200
const MAX_USER_CHARACTERS = 16_000

const id = z.string().min(1).max(128)
const textPart = z.object({ type: z.literal('text'), text: z.string() })
const userTextPart = textPart.extend({ text: z.string().max(MAX_USER_CHARACTERS) })
const stepPart = z.object({ type: z.literal('step-start') })

const toolIdentity = {
  type: z.templateLiteral(['tool-', z.string()]),
  toolCallId: z.string().min(1).max(256),
  input: z.unknown().default({}),
}
const answeredPart = z.object({
  ...toolIdentity,
  state: z.literal('output-available'),
  output: z.unknown().default(null),
})
const failedPart = z.object({ ...toolIdentity, state: z.literal('output-error'), errorText: z.string() })
/** Part types that the page shows and the model does not get: sources, files, data, reasoning, unanswered calls. */
const otherPart = z.object({ type: z.string().refine(type => type !== 'text') }).transform(() => null)

const userMessage = z.object({ id, role: z.literal('user'), parts: z.array(userTextPart).min(1).max(MAX_PARTS) })
const assistantMessage = z.object({
  id,
  role: z.literal('assistant'),
  parts: z
    .array(z.union([textPart, stepPart, answeredPart, failedPart, otherPart]))
    .max(MAX_PARTS)
    .transform(parts => parts.filter(part => part !== null)),
})

const chatRequest = z.object({
  messages: z
    .array(z.discriminatedUnion('role', [userMessage, assistantMessage]))
    .min(1)
    .max(MAX_MESSAGES)
    .refine(messages => messages.at(-1)?.role === 'user', "the last message must be the user's"),
  voice: voiceCredentials.optional(),
  timeZone: z.string().max(64).optional(),
})

export interface ChatRequest {
  /** The last message is the user's. */
  messages: ChatMessage[]
  /** The voice call whose session the conversation uses; without it, the session of the cookie. */
  voice?: VoiceCredentials
  /** IANA name of the page's time zone. */
  timeZone?: string
}

/** @throws RequestRefusal 400, 413 or 415 */
export async function readChatRequest(request: Request): Promise<ChatRequest> {
  const { messages, ...others } = await readJsonBody(request, chatRequest, MAX_BODY_BYTES)
  return { messages: messages as ChatMessage[], ...others }
}
