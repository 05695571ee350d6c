import { createUnifiedTools, fromToolResult, toToolResult, type ToolResult } from 'toolgate/unified'
import { createRegistry } from 'toolgate'

const { executeUnifiedTool, getChatToolDefinitions, validateToolArgs } = createUnifiedTools({
  registry: createRegistry(),
})
async function order() {
  const result: ToolResult<{ total: number }> = await executeUnifiedTool('order', { tea: 1 }, { sessionId: 'user-1' })
  if (result.success) {
    const total: number | undefined = result.data?.total
    void total
  } else {
    const text: string = result.error
    void text
    // @ts-expect-error a failure has no such member
    void result.missing
  }
}
void order
const { valid, error }: { valid: boolean; error?: string } = validateToolArgs('order', {})
void [valid, error, getChatToolDefinitions('user-1')]
void toToolResult(fromToolResult({ success: true, data: 1 }))
// @ts-expect-error a misspelt member
void executeUnifiedTool('order', {}, { session: 'user-1' })
