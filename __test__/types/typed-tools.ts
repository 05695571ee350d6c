import { type Session, type ToolCall, createRegistry, shippedTools } from 'toolgate'
import type { ToolArgs, ToolData } from '../../tools/tool_registry'

declare const anyCall: ToolCall
declare function takesAnySession(session: Session): void

async function typed() {
  const registry = await createRegistry<{ args: ToolArgs; data: ToolData }>({ artifact: shippedTools }).load()
  const session = await registry.createSession({ mode: 'text' })
  const found = await session.execute({ name: 'kb_search', args: { query: 'roof' } })
  if (found.ok) found.data satisfies ToolData['kb_search'] | undefined
  // @ts-expect-error: the arguments of another tool
  await session.execute({ name: 'kb_search', args: { text: 'roof' } })
  // @ts-expect-error: no tool has this name
  await session.execute({ name: 'kb_serach', args: { query: 'roof' } })
  // A provider's call: a name of any kind, and the arguments as text.
  const call: { id: string; name: string; args: string } = { id: 'call_1', name: 'kb_search', args: '{}' }
  await session.execute(call)
  takesAnySession(session)
}

async function untyped(session: Session) {
  await session.execute(anyCall)
  const response = await session.execute({ name: 'any_tool', args: { any: 1 } })
  if (response.ok) response.data.anything satisfies unknown
}

void [typed, untyped]
