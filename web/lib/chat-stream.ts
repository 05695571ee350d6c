// The streamed answer of one turn: the model's steps and its tool calls through the gate, as a UI message stream.
import {
  type LanguageModel,
  type UIMessageStreamWriter,
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateId,
  stepCountIs,
  streamText,
} from 'ai'
import { type ConfirmationRequest, type ToolResponse, loadTextPrompt, userClock } from 'toolgate'
import { repairToolCall, toAiSdkTools } from 'toolgate/ai-sdk'
import type { ChatMessage } from './chat-message'
import type { ChatTurn } from './chat-turn'
import { keepMessages, keepRequest } from './conversation'
import { loadGate } from './gate'
import { logFailure } from './log-failure'
import { describeProviderFailure } from './provider'
import { withRows } from './pending-questions'
import { userTimeoutUntil } from './user-timeout'

const MAX_STEPS = 8
/** Platforms end a request at its `maxDuration` (30 s) without an error: the server stops earlier, with a message. */
const ANSWER_LIMIT_MS = 28_000

type Writer = UIMessageStreamWriter<ChatMessage>

interface AnswerOptions {
  turn: ChatTurn
  messages: ChatMessage[]
  /** Of the user, by its IANA name. */
  timeZone?: string
  model: LanguageModel
  /** Aborts if the client disconnects: the answer stops and its running calls are cancelled. */
  signal: AbortSignal
}

/** Streams the answer; the attachment ends with the stream, also after an error. */
export function streamAnswer(options: AnswerOptions): Response {
  const { turn, signal } = options
  const stream = createUIMessageStream<ChatMessage>({
    execute: async ({ writer }) => {
      turn.deliverTo(data => writer.write({ type: 'data-tool-message', data }))
      const disconnect = () => turn.deliverTo(null)
      signal.addEventListener('abort', disconnect, { once: true })
      try {
        await runSteps(options, writer)
      } finally {
        signal.removeEventListener('abort', disconnect)
        turn.deliverTo(null)
        await turn.session.detach()
      }
    },
    onError: describeFailure,
  })
  const headers = { ...(turn.cookie && { 'set-cookie': turn.cookie }), 'cache-control': 'no-store' }
  return createUIMessageStreamResponse({ stream, headers })
}

async function runSteps({ turn, messages, timeZone, model, signal }: AnswerOptions, writer: Writer): Promise<void> {
  const { session } = turn
  const request = messages.at(-1)
  if (request) await turn.keep(keeper => keepRequest(keeper, request))
  const registry = await loadGate()
  const shown = (question: Asked) => withRows(session, question)
  const tools = toAiSdkTools(session, {
    registry,
    onToolResponse: response => showConfirmation(writer, response, shown),
  })
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS)
  const result = streamText({
    model,
    system: `${await loadTextPrompt({ registry })}\n${userClock({ timeZone })}`,
    messages: await convertToModelMessages(messages, { tools, ignoreIncompleteToolCalls: true }),
    tools,
    experimental_repairToolCall: repairToolCall,
    stopWhen: [stepCountIs(MAX_STEPS), () => userTimeoutUntil(session) > Date.now()],
    abortSignal: AbortSignal.any([signal, limit]),
    onError: ({ error }) => logFailure('the answer broke off', error),
    onAbort: () => {
      if (!limit.aborted) return
      const seconds = ANSWER_LIMIT_MS / 1000
      writer.write({ type: 'error', errorText: `the answer took longer than ${seconds} seconds and was stopped` })
    },
  })
  let answer: ChatMessage | undefined
  const parts = result.toUIMessageStream<ChatMessage>({
    originalMessages: messages,
    generateMessageId: generateId,
    onError: describeProviderFailure,
    onFinish: ({ responseMessage }) => void (answer = responseMessage),
  })
  const [sent, rest] = parts.tee()
  writer.merge(sent)
  // Read to the end even if the client has disconnected: only then is the last call settled, and the answer whole.
  await rest.pipeTo(new WritableStream())
  const kept = answer
  if (kept) await turn.keep(keeper => keepMessages(keeper, [kept]))
}

type Asked = ConfirmationRequest & { token: string }

/** Sends the token to the page outside of the messages, because messages come back with the next request. */
function showConfirmation(writer: Writer, response: ToolResponse, shown: (question: Asked) => Asked): void {
  if (response.ok || response.error.type !== 'CONFIRMATION_REQUIRED') return
  const { token, ...request } = response.error.confirmation_request ?? {}
  if (!token) return
  const question = shown({ ...(request as ConfirmationRequest), token })
  writer.write({
    type: 'data-confirmation',
    data: { ...question, callId: response.meta.callId ?? null },
    transient: true,
  })
}

function describeFailure(error: unknown): string {
  logFailure('the answer broke off', error)
  return 'the server failed while answering, its log says why'
}
