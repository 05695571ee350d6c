// Loads one record from the host service `kb`.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'
import { refuseFullTextInVoice } from '../_services/spoken-fields.js'
import { recordIn } from '../_services/service-answers.js'
import { serviceFailure } from '../_services/service-errors.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute(context) {
  const { args, services, signal } = context
  const refusal = refuseFullTextInVoice(context)
  if (refusal) return refusal

  try {
    const record = recordIn(await services.kb.get(args.id, { returnFields: args.return_fields, signal }))
    return record ? success(record) : await notFound(services.kb, args.id)
  } catch (error) {
    return serviceFailure(error, 'knowledge base')
  }
}

/**
 * `nearestIds` is a courtesy that a team's own knowledge base may not have.
 * @param {import('../../index.js').HandlerContext['services']['kb']} kb
 * @param {string} id
 */
async function notFound(kb, id) {
  const nearest = (await kb.nearestIds?.(id)) ?? []
  return failure(ErrorType.NOT_FOUND, `no record has the id \`${id}\``, {
    retryable: false,
    details: { nearest },
    suggestion:
      nearest.length > 0
        ? `did you mean ${nearest.map((/** @type {string} */ near) => `\`${near}\``).join(', ')}?`
        : 'search for the record first',
  })
}
