import { interrupt } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { Agent, Runner } from '@openai/agents'
import type { Session } from 'toolgate'
import { toLangChainTools } from 'toolgate/langchain'
import { rejectCall, toAgentTools } from 'toolgate/openai-agents'

declare const session: Session

const agent = new Agent({ name: 'notes', tools: toAgentTools(session, { approvals: true }) })
const result = new Runner().run(agent, 'go')
void result.then(async ({ interruptions, state }) => {
  const [first] = interruptions
  if (first !== undefined) (await rejectCall(session, state, first, { reason: 'no' })) satisfies boolean
})
// @ts-expect-error: an unknown option
toAgentTools(session, { interrupt })

new ToolNode(toLangChainTools(session, { interrupt }))
// @ts-expect-error: not a session
toLangChainTools({})
