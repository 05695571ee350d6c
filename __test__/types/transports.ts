import { GeminiLiveTransport } from '../../js/transports/gemini-live-transport.js'
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
