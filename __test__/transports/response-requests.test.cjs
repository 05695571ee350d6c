'use strict'
// When a Realtime model is asked for a response: one at a time, again after a refusal, and never for an unrelated error.
const { ResponseRequests } = require('../../js/transports/realtime/response-requests.js')

const ACTIVE = 'conversation_already_has_active_response'

let sent
let requests
beforeEach(() => {
  sent = []
  requests = new ResponseRequests(event => sent.push(event.event_id))
})

test('requests during a response are one request for the next', () => {
  requests.request()
  requests.request()
  expect(sent).toHaveLength(1)
  requests.created('r1')
  requests.request()
  expect([sent.length, requests.active, requests.isBusy]).toEqual([1, 'r1', true])
  requests.done('r1')
  expect(sent).toHaveLength(2)
  requests.created('r2')
  requests.done('r2')
  expect([sent.length, requests.isBusy]).toEqual([2, false])
})

test.each([
  ['before the other response is seen', ['refused', 'created', 'done']],
  ['while the other response is active', ['created', 'refused', 'done']],
  ['after the other response is over', ['created', 'done', 'refused']],
  ['and the other response is never seen to begin', ['refused', 'done']],
])('a request that is refused %s is made again at rest, once', (_when, order) => {
  requests.request()
  const steps = {
    refused: () => requests.failed({ code: ACTIVE, event_id: sent[0] }),
    created: () => requests.created('other'),
    done: () => requests.done('other'),
  }
  for (const step of order) {
    expect(sent).toHaveLength(1)
    steps[step]()
  }
  expect(sent).toHaveLength(2)
  requests.failed({ code: ACTIVE, event_id: sent[0] })
  requests.created('ours')
  requests.done('ours')
  expect([sent.length, requests.isBusy]).toEqual([2, false])
})

test('a refusal without the id of its request is that of the last one', () => {
  requests.request()
  requests.created('other')
  requests.failed({ code: ACTIVE })
  requests.done('other')
  expect(sent).toHaveLength(2)
})

test.each([
  [{ code: 'rate_limit_exceeded' }],
  [{ code: ACTIVE, event_id: 'of_the_host' }],
  [{ code: 'invalid_value', event_id: 'of_the_host' }],
  [{}],
])('an unrelated error %j changes nothing', error => {
  requests.failed(error)
  requests.request()
  requests.failed(error)
  requests.request()
  expect(sent).toHaveLength(1)
  requests.created('r1')
  requests.done('r1')
  expect(sent).toHaveLength(2)
})

test('a request that fails for another reason is not repeated', () => {
  requests.request()
  requests.failed({ code: 'rate_limit_exceeded', event_id: sent[0] })
  requests.created('r1')
  requests.done('r1')
  expect([sent.length, requests.isBusy]).toEqual([1, false])
})

test('a request that the user takes back is not made', () => {
  requests.created('r1')
  requests.request()
  requests.drop()
  requests.done('r1')
  expect(sent).toEqual([])
})

test('a request that could not be sent is made at the next rest', () => {
  let isOpen = false
  const refusing = new ResponseRequests(event => {
    if (!isOpen) throw new Error('closed')
    sent.push(event.event_id)
  })
  expect(() => refusing.request()).toThrow('closed')
  isOpen = true
  refusing.done('any')
  expect(sent).toHaveLength(1)
})

test('responses that never end are forgotten', () => {
  for (let count = 0; count < 1000; count += 1) requests.created(`r${count}`)
  requests.request()
  for (let count = 900; count < 1000; count += 1) requests.done(`r${count}`)
  expect(sent).toHaveLength(1)
})
