import { defineTool, pending } from 'toolgate'

export default defineTool({
  description: 'Render the report of a month. It takes minutes; the result comes when it is there.',
  sideEffects: 'writes',
  requiresConfirmation: false,
  // Whoever asks for the same month again within two minutes is asked whether that is meant.
  duplicate: { key: ['/month'] },
  // The call ends after an hour at the latest, whether or not the worker has ended it.
  timeoutMs: 3_600_000,
  requires: ['queue'],
  parameters: {
    type: 'object',
    properties: { month: { type: 'string', pattern: '^\\d{4}-\\d{2}$', description: 'Such as 2026-10.' } },
    required: ['month'],
    additionalProperties: false,
  },
  lintAccepted: ['writes-without-confirmation'],
  async execute({ args, queue, meta, completionToken }) {
    const token = await completionToken()
    // The same job for the same call, should it ever be made twice.
    await queue.add('render', { month: args.month, token }, { jobId: meta.idempotencyKey })
    return pending({ token })
  },
})
