// The registry, its sessions and handlers, as TypeScript sees them.
import {
  RegistryLoadError,
  RegistryVersionMismatch,
  ToolRegistry,
  buildTools,
  createRegistry,
  createStateController,
  formatReport,
  revokeGrant,
  showSession,
  toolRegistry,
  verifyAudit,
  type HandlerContext,
  type HandlerModule,
  type ProviderName,
  type RegistryOptions,
  type Session,
  type ToolCall,
  type ToolResponse,
} from 'toolgate'

const handler: HandlerModule = {
  execute: async ({ args, context, signal, meta }) => ({
    ok: true,
    data: [args, context.mode, signal.aborted, meta.attempt],
  }),
}
const options: RegistryOptions = {
  artifact: new URL('file:///tools/tool_registry.json'),
  handlers: { one: handler, two: () => ({ ok: true }) },
  services: { kb: {} },
  modes: { voice: { retrievalCalls: 3, turnLatencyMs: null } },
  audit: line => void line.length,
  limits: { maxArgsBytes: 1024, sessionCalls: 8, queueMs: 500 },
  strayErrors: 'report',
  environment: 'production',
  onHandlerError: (error, { toolId, sessionId }) => void [error, toolId, sessionId],
}
// @ts-expect-error a misspelt option
createRegistry({ artefact: 'x' })
// @ts-expect-error no such environment
createRegistry({ environment: 'staging' })
// @ts-expect-error no such number of a mode
createRegistry({ modes: { voice: { retrievals: 1 } } })
// @ts-expect-error an audit is a sink
createRegistry({ audit: 7 })
createRegistry({ audit: { file: 'audit.jsonl', key: 'sixteen bytes or more', chain: true } })
// @ts-expect-error a key is text
createRegistry({ audit: { file: 'audit.jsonl', key: 7 } })

export async function use(): Promise<void> {
  const registry: ToolRegistry = await createRegistry(options).load()
  const same: ToolRegistry = toolRegistry
  const version: string = registry.getVersion()
  const commit: string | null = registry.getGitCommit()
  const category: 'retrieval' | 'action' | 'utility' | undefined = registry.getToolMetadata('x')?.category
  // @ts-expect-error null where unknown
  registry.getToolMetadata('x').category
  const widest: 'args' | 'tool' | undefined = registry.getToolMetadata('x')?.grantable
  const deciding: number | undefined = registry.getToolMetadata('x')?.approvers?.count
  const store = { file: 'sessions.sqlite' }
  const shown = await showSession(store, 's')
  const ended: boolean | null = await revokeGrant(store, 's', shown?.grants[0]?.id ?? '', {
    audit: { file: 'a.jsonl' },
  })
  // @ts-expect-error a line on standard output is not kept
  await revokeGrant(store, 's', 'g', { audit: 'stdout' })
  // @ts-expect-error the map is not to be changed
  registry.tools.set('x', registry.tools.get('x')!)
  registry.getProviderSchemas('geminiNative', { mode: 'voice' })
  registry.getProviderSchemas('anthropic', { toolSearch: 'provider' })
  const provider: ProviderName = 'openaiStrict'
  registry.getProviderSchemas(provider)
  registry.getProviderSchemas()
  const { valid, errors } = registry.validateArgs('x', '{}')
  const pointer: string | undefined = errors[0]?.instancePath
  const stop: () => void = registry.watch(changed => void changed.length)
  stop()

  const session: Session = await registry.createSession({
    mode: 'voice',
    principal: 'alice',
    onToolCall: ({ name, id }) => void [name, id],
    onProgress: ({ toolId, update }) => void [toolId, update],
  })
  // @ts-expect-error a mode is never inferred
  await registry.createSession({ sessionId: 's' })
  // @ts-expect-error a misspelt option
  await registry.createSession({ mode: 'text', user: 'alice' })
  const call: ToolCall = { id: 'call_1', name: 'x', args: '{}' }
  const answer: ToolResponse = await session.execute(call)
  const text: string = await session.executeText({ name: 'x', args: { a: 1 } })
  const all: ToolResponse[] = await session.executeAll([call])
  // @ts-expect-error a call has a name
  await session.execute({ id: 'call_1' })
  const { turn, pendingMessage } = await session.beginTurn('m1')
  const cancelled: boolean = session.cancel('call_1', 'barge-in')
  const [pending] = await session.listPending()
  if (pending !== undefined) await session.confirm(pending.token)
  // @ts-expect-error where it lives does not change
  session.sessionId = 'other'
  const suppressed: boolean = session.state.getSnapshot().shouldSuppressAudio
  // @ts-expect-error a snapshot is frozen
  session.state.getSnapshot().shouldSuppressAudio = true
  session.state.set('cart', { items: [1] })
  // @ts-expect-error no JSON
  session.state.set('cart', () => 1)
  await registry.close({ timeoutMs: 0 })
  void [widest, deciding, ended]
  void [same, version, commit, category, valid, pointer, answer, text, all, turn, pendingMessage, cancelled, suppressed]
}

export function explain(error: unknown): string {
  if (error instanceof RegistryLoadError) return error.code === 'ARTIFACT_MISSING' ? 'build it' : error.message
  if (error instanceof RegistryVersionMismatch) return `${error.expected} ${error.actual}`
  return ''
}

export function execute({
  args,
  messaging,
  audit,
  session,
  calendar,
  progress,
  callTool,
}: HandlerContext<{ query: string; top_k?: number }>): unknown {
  const query: string = args.query
  // @ts-expect-error not an argument of this tool
  args.limit
  messaging.send({ type: 'hi' })
  const told: boolean = progress({ done: 1 })
  // @ts-expect-error no JSON
  progress(() => told)
  void callTool('calendar_find', { query }).then(answer => answer.ok)
  audit.log('seen', { query })
  // @ts-expect-error a snapshot is frozen
  session.state.mode = 'voice'
  return calendar.find(query)
}

async function build(): Promise<['error' | 'warning' | undefined, string]> {
  const report = await buildTools({ toolsDir: 'tools' })
  return [report.diagnostics[0]?.severity, formatReport(report)]
}
const state = createStateController({ theme: 'dark' })
const applied: boolean = state.applyIntent({ type: 'END_VOICE_SESSION', after: 'immediately' })
// @ts-expect-error no such moment
state.applyIntent({ type: 'END_VOICE_SESSION', after: 'later' })
void [build, applied]

export async function verify(): Promise<void> {
  const [chain] = await verifyAudit('audit.jsonl', { store: { file: 'sessions.sqlite' } })
  const first: number | null = chain?.first ?? null
  const lines: number[] | undefined = chain?.problems.map(({ line }) => line)
  void [first, lines]
}
