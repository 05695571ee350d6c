// Answers, errors and what handlers return, as TypeScript sees them.
import {
  ErrorType,
  IntentType,
  ToolError,
  failure,
  httpStatus,
  success,
  toModelResponse,
  toSpeech,
  toUiResponse,
  validateToolResponse,
  type HandlerResult,
  type LeanResponse,
  type Session,
  type ToolResponse,
} from 'toolgate'

declare const response: ToolResponse<{ n: number }>

if (response.ok) {
  const n: number | undefined = response.data?.n
  // @ts-expect-error a success has no error
  response.error
  void n
} else {
  const type: 'VALIDATION' extends typeof response.error.type ? true : never = true
  const token: string | undefined = response.error.confirmation_request?.token
  // @ts-expect-error a failure has no data
  response.data
  void [type, token]
}
const version: '1.0.0' = response.meta.responseSchemaVersion
const toolVersion: string | null = response.meta.toolVersion
// @ts-expect-error null on NOT_FOUND
const never: string = response.meta.toolVersion

const conflict: 'CONFLICT' = ErrorType.CONFLICT
// @ts-expect-error no such type
ErrorType.OOPS
const intent: 'SUPPRESS_AUDIO' = IntentType.SUPPRESS_AUDIO
const status: number = httpStatus('CONFLICT')

const error = new ToolError('TRANSIENT', 'gone', {
  retryable: true,
  retryAfterMs: 5,
  details: { a: [1] },
  cause: new Error('x'),
})
const retryable: boolean = error.retryable
// @ts-expect-error no such type
new ToolError('OOPS', 'm')
// @ts-expect-error what it was made with stays
error.type = 'CONFLICT'
// @ts-expect-error a misspelt option
new ToolError('TRANSIENT', 'm', { retriable: true })

const good: HandlerResult<number> = success(1, { intents: [{ type: 'SUPPRESS_AUDIO', value: true }] })
// @ts-expect-error its value is a boolean
success(1, { intents: [{ type: 'SUPPRESS_AUDIO', value: 'yes' }] })
// @ts-expect-error no such intent
success(1, { intents: [{ type: 'REBOOT' }] })
const bad: HandlerResult<number> = failure('NOT_FOUND', 'no record', { suggestion: 'search first' })
// @ts-expect-error a failure needs a message
failure('NOT_FOUND')

const valid: true = validateToolResponse({})
const seen: LeanResponse<{ n: number }> = toModelResponse(response)
const whole: ToolResponse<{ n: number }> = toModelResponse(response, { meta: 'full' })
// @ts-expect-error the lean form has no such member
seen.meta?.duration
void whole
declare const session: Session
const shown: ToolResponse<{ n: number }> = toUiResponse(response)
const said: string = toSpeech(toUiResponse(response, session))
// @ts-expect-error a text is parsed first
toSpeech('{"ok":true}')
void [version, toolVersion, never, conflict, intent, status, retryable, good, bad, valid, seen, shown, said]
