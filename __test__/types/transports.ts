import { AnthropicTransport, type ToolResultsMessage } from '../../js/transports/anthropic-transport.js'
import { withAsync } from '../../js/transports/async-calls.js'
import { GeminiLiveTransport } from '../../js/transports/gemini-live-transport.js'
import { OpenAILiveTransport } from '../../js/transports/openai-live-transport.js'
import { OpenAIRealtimeTransport } from '../../js/transports/openai-realtime-transport.js'
import { OpenAITransport } from '../../js/transports/openai-transport.js'
import type { ToolTransport } from '../../js/transports/transport.js'
import type { ToolResponse } from '../../index.js'

declare const result: ToolResponse

const gemini = new GeminiLiveTransport({ sendToolResponse: () => undefined }, { surface: 'developer' })
const sent: object[] = gemini.sendToolResult({ id: 'call', name: 'kb_search', result, scheduling: 'WHEN_IDLE' })
const base: ToolTransport = new OpenAITransport()
const id: string = base.receiveToolCalls({})[0]!.id

// @ts-expect-error the Live session must be able to answer
new GeminiLiveTransport({})
// @ts-expect-error an answer names its tool
gemini.sendToolResult({ id: 'call', result })

void [sent, id]

const realtime = new OpenAIRealtimeTransport({ send: () => undefined })
const events: object[] = realtime.sendToolResult({ id: 'call', name: 'kb_search', result })
const problem: string | null = realtime.problem
const anthropic = new AnthropicTransport()
const message: ToolResultsMessage | null = anthropic.sendToolResult({ id: 'call', name: 'kb_search', result })
const repeated: 'assistant' | undefined = anthropic.assistantMessage?.role
const answered = new OpenAITransport().sendToolResult({ id: 'call', name: 'kb_search', result })
const output: string | undefined = answered === null || 'output' in answered ? answered?.output : answered.content
const declared: { name: string; async?: true }[] = withAsync([{ name: 'kb_search' }], {
  model: 'gpt-6-astra',
  isBackground: () => true,
})

// @ts-expect-error the Realtime client must be able to send
new OpenAIRealtimeTransport({})

void [events, problem, message, repeated, output]

const live = new OpenAILiveTransport({ send: () => undefined })
const [delegation] = live.receiveDelegations({})
const appends: string[] = live.sendAnswer({ id: delegation!.id, commentary: 'Done.' }).map(event => event.event_id)
const late = live.sendResult({ toolId: 'render', response: result }, { delegation: delegation!.id, silent: true })
const called: string[] = live.receiveToolCalls({}).map(call => call.id)

// @ts-expect-error a delegation is answered with texts, not with a result
live.sendAnswer({ id: delegation!.id, result })

void [appends, late, called, declared]
