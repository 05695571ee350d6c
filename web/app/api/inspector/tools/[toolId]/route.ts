import { loadGate } from '@/lib/gate'
import { withInspectorAccess } from '@/lib/inspector/access'
import { describeTool } from '@/lib/inspector/tool-set'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'

/** One tool with its schema and its declaration and receipt for each provider. */
export function GET(request: Request, { params }: { params: Promise<{ toolId: string }> }): Promise<Response> {
  return withInspectorAccess(request, async () => {
    const { toolId } = await params
    const tool = await describeTool(await loadGate(), toolId)
    if (tool === null) throw new RequestRefusal(404, 'NOT_FOUND', 'there is no such tool')
    return Response.json(tool, { headers: { 'cache-control': 'no-store' } })
  })
}
