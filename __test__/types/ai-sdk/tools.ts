// The AI SDK's adapter, as TypeScript sees it with the real `ai`.
import { convertToModelMessages, generateText, streamText, type ModelMessage, type UIMessage } from 'ai'
import {
  approvalDescriptors,
  denyDeclined,
  prepareFoundTools,
  repairToolCall,
  toAiSdkTools,
  toolApproval,
  type GateTool,
} from 'toolgate/ai-sdk'
import type { Session, ToolResponse } from 'toolgate'
import { createAgentRoutes, sharedRegistry, type AgentRoutes } from 'toolgate/web'

declare const session: Session
declare const messages: ModelMessage[]
declare const page: UIMessage[]
declare const model: Parameters<typeof streamText>[0]['model']

const tools: Record<string, GateTool> = toAiSdkTools(session)
const denied: Promise<number> = denyDeclined(session, messages)
void denyDeclined(session, page)
void streamText({ model, messages, tools, experimental_repairToolCall: repairToolCall })
const approval: Promise<{ type: 'user-approval'; reason?: string } | undefined> | undefined = toolApproval(
  tools,
).send_note?.({}, { toolCallId: 'call_1', messages })
void streamText({ model, messages, tools: toAiSdkTools(session, { progress: true }) })
  .toUIMessageStream()
  .pipeThrough(approvalDescriptors(session))
void streamText({ model, messages, tools, prepareStep: prepareFoundTools(session, tools) })
void generateText({
  model,
  messages,
  tools: toAiSdkTools(session, { approvals: true, onToolResponse: response => response.ok }),
})

const { GET, POST }: AgentRoutes = createAgentRoutes(sharedRegistry({ audit: 'none' }), {
  authenticate: ({ headers }) => ({ principal: String(headers['x-user']), roles: ['admin'] }),
  answer: async ({ messages, tools, ...gate }, { session }) =>
    streamText({
      model,
      system: session.mode,
      messages: await convertToModelMessages(messages, { tools }),
      tools,
      ...gate,
    }),
})
// @ts-expect-error the model is called by `answer`
createAgentRoutes(sharedRegistry(), {})
// @ts-expect-error
sharedRegistry({ artifact: 7 })

const asked: Promise<ToolResponse | null> = session.ask({ id: 'call_1', name: 'send_note', args: { to: 'Ada' } })
const confirmed: Promise<ToolResponse> = session.confirm({ id: 'call_1', name: 'send_note', args: '{"to":"Ada"}' })
const byToken: Promise<ToolResponse> = session.confirm('a token')
const earlier: Promise<ToolResponse> = session.approve({ id: 'call_1', name: 'send_note', args: {} })
const deniedCall: Promise<boolean> = session.deny('call_1', 'not today')

// @ts-expect-error whose questions they are
denyDeclined(messages)
// @ts-expect-error a confirmation is found by its token or its call's id
session.deny()
// @ts-expect-error it is one or the other
toAiSdkTools(session, { approvals: 'ask' })

void [denied, asked, confirmed, byToken, earlier, deniedCall, approval, GET, POST]
