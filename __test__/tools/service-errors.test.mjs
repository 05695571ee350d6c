import { ServiceError, serviceFailure } from '../../tools/_services/service-errors.js'

test('a retry time is given in milliseconds, and only where the service gave a sensible one', () => {
  const after = retryAfter => serviceFailure({ code: 'RATE_LIMIT', retryAfter }, 'calendar').error.retryAfterMs
  expect([after(2), after(0.0001), after(0)]).toEqual([2000, 1, 0])
  expect([after(undefined), after(-1), after(NaN), after('2')]).toEqual([undefined, undefined, undefined, undefined])
})

test('the service is named, its own words are not passed on', () => {
  const error = new ServiceError('AUTH_ERROR', 'token abc123 refused by 10.0.0.7')
  const response = serviceFailure(error, 'calendar')
  expect(JSON.stringify(response)).not.toMatch(/abc123|10\.0\.0\.7/)
  expect(response.error.message).toContain('calendar')
})

test('of a conflict only times are passed on', () => {
  const conflicts = [{ start: '2026-11-23T10:00:00Z', end: '2026-11-23T11:00:00Z', title: 'Secret' }]
  expect(serviceFailure({ code: 'CONFLICT', conflicts }, 'calendar').error.details).toEqual({
    conflicts: [{ start: conflicts[0].start, end: conflicts[0].end }],
  })
})

test('a conflict without times says nothing of times', () => {
  expect(serviceFailure({ code: 'CONFLICT' }, 'image service').error).toEqual({
    type: 'CONFLICT',
    message: 'the request conflicts with what the image service has now',
    retryable: false,
    partialSideEffects: false,
    suggestion: 'look up what is there now and agree on a change with the user',
  })
})

test.each([[new Error('plain')], [{ code: 'ENOENT' }], [{ code: 'constructor' }], [null], [undefined], ['text']])(
  '%p is none of the known codes and is thrown on',
  error => {
    let thrown = 'nothing'
    try {
      serviceFailure(error, 'calendar')
    } catch (caught) {
      thrown = caught
    }
    expect(thrown).toBe(error)
  },
)
