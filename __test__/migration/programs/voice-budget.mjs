// An orchestrator of the older layer: it counts the calls of a turn itself, and clamps `top_k`.
import { ErrorType } from 'toolgate/tools/_core/error-types.js'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
import { TEXT_BUDGET, VOICE_BUDGET } from 'toolgate/voice-server/config.js'

await toolRegistry.load()
let [retrievals, total, latencyMs] = [0, 0, 0]

async function run(name, args) {
  total++
  if (total > VOICE_BUDGET.MAX_TOTAL_TOOL_CALLS_PER_TURN) return `${ErrorType.BUDGET_EXCEEDED} total`
  if (toolRegistry.getToolMetadata(name).category === 'retrieval') {
    retrievals++
    if (retrievals > VOICE_BUDGET.MAX_RETRIEVAL_CALLS_PER_TURN) return `${ErrorType.BUDGET_EXCEEDED} retrieval`
    args.top_k = Math.min(args.top_k, VOICE_BUDGET.MAX_TOP_K)
  }
  const { ok, data, meta } = await toolRegistry.executeTool(name, { args, mode: 'voice', session: { isActive: true } })
  latencyMs += meta.duration
  return ok && data.results.length <= 3
}

const answers = []
for (const query of ['audio', 'budget', 'people', 'rooms']) answers.push(await run('kb_search', { query, top_k: 9 }))
const limits = [VOICE_BUDGET.LATENCY_BUDGET_MS, VOICE_BUDGET.HARD_FAIL_AFTER, Math.min(9, TEXT_BUDGET.MAX_TOP_K)]
console.log(JSON.stringify([answers, latencyMs >= 0, limits]))
await toolRegistry.close()
