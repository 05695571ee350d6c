// The check of a range of two date-times that a schema cannot express: that it has a direction.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * @param {{ start?: string, end?: string } | undefined} range date-times, already checked for their format
 * @param {string} pointer where the range stands in the arguments, as a JSON Pointer
 * @returns {null | object} a failed ToolResponse where the range is none
 */
export function refuseBadRange(range, pointer) {
  for (const end of ['start', 'end']) {
    // A leap second is a valid date-time, but no moment that a clock of this platform has.
    if (range?.[end] !== undefined && Number.isNaN(Date.parse(range[end]))) {
      return refusal(`${pointer}/${end}`, `\`${range[end]}\` is not a moment in time`)
    }
  }
  if (Date.parse(range?.start) > Date.parse(range?.end)) {
    return refusal(pointer, `start \`${range.start}\` is later than end \`${range.end}\``)
  }
  return null
}

function refusal(instancePath, message) {
  return failure(ErrorType.VALIDATION, `${instancePath}: ${message}`, {
    retryable: false,
    details: [{ instancePath, schemaPath: '', keyword: 'dateRange', params: {}, message }],
    suggestion: 'give a start that is not later than the end',
  })
}
