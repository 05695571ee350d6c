import type { RJSFSchema } from '@rjsf/utils'
import { loadGate } from '@/lib/gate'
import { withInspectorAccess } from '@/lib/inspector/access'
import { formValidatorModule } from '@/lib/inspector/form-validator'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'

/** A script: the checks of the form that is made from the tool's schema. */
export function GET(request: Request, { params }: { params: Promise<{ toolId: string }> }): Promise<Response> {
  return withInspectorAccess(request, async () => {
    const { toolId } = await params
    const tool = (await loadGate()).getToolMetadata(toolId)
    if (tool === null) throw new RequestRefusal(404, 'NOT_FOUND', 'there is no such tool')
    const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' }
    return new Response(formValidatorModule(tool.jsonSchema as RJSFSchema), { headers })
  })
}
