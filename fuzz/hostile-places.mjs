// Where the package calls the host's code, and the ways in which that code ends with a value.

export const PLACES = [
  'execute',
  'validate',
  'messaging',
  'onHandlerError',
  'onConfirmation',
  'onToolCall',
  'onCapabilityUsed',
  'onProgress',
  'route session',
  'route beforeCall',
  'route toolOf',
  'route allowedOrigins',
  'route onError',
]

export const WAYS = [
  'thrown',
  'rejected',
  'rejected later',
  'rejected by a thenable',
  'returned',
  'resolved',
  'as data',
]
