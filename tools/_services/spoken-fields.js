// The fields of a record that voice mode refuses: a full text is too long for speech, and delays the answer.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * @param {{ args: { return_fields?: string[] }, mode: string }} context
 * @returns {null | import('./service-types.js').FailedResult} a failure if voice mode requests a refused field
 */
export function refuseFullTextInVoice({ args, mode }) {
  const position = (args.return_fields ?? []).indexOf('full_text')
  if (mode !== 'voice' || position < 0) return null
  const instancePath = `/return_fields/${position}`
  const message = '`full_text` is not available in voice'
  return failure(ErrorType.VALIDATION, `${instancePath}: ${message}`, {
    retryable: false,
    details: [
      { instancePath, schemaPath: '#/properties/return_fields/items', keyword: 'mode', params: { mode }, message },
    ],
    suggestion: 'leave `full_text` out and answer from the snippet',
  })
}
