// Checks of `toolgate/http` that need no server.
import { createAddressSet, createMetricsAccess, isForwarded, isLoopbackAddress } from '../../js/http/index.js'

const TOKEN = '0123456789abcdef'

test('loopback addresses, also mapped into IPv6; nothing else', () => {
  const yes = ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']
  const no = ['10.0.0.1', '::ffff:10.0.0.1', '::', '0.0.0.0', 'localhost', '', null, undefined]
  expect([yes.map(isLoopbackAddress), no.map(isLoopbackAddress)]).toEqual([yes.map(() => true), no.map(() => false)])
})

test('a set has its addresses and subnets', () => {
  const has = createAddressSet(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])
  const asked = ['10.255.0.1', '11.0.0.1', '2001:db8::5', '2001:db9::5', '192.0.2.7', '192.0.2.8']
  expect(asked.map(has)).toEqual([true, false, true, false, true, false])
})

for (const entry of ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '', '10.0.0.0/x'])
  test(`the entry \`${entry}\` is refused`, () => {
    expect(() => createAddressSet([entry])).toThrow(`\`${entry}\` must be an IP address`)
  })

test('headers of proxies', () => {
  const of = name => isForwarded({ host: 'localhost', [name]: 'x' })
  const yes = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-server', 'x-real-ip', 'cf-ray', 'cf-connecting-ip']
  expect(yes.map(of)).toEqual(yes.map(() => true))
  expect(['accept', 'x-request-id', 'cfg'].map(of)).toEqual([false, false, false])
})

test('metrics without a token: direct requests of this machine', () => {
  const mayRead = createMetricsAccess()
  expect([
    mayRead({ peer: '::1', forwarded: false }),
    mayRead({ peer: '127.0.0.1', forwarded: true }),
    mayRead({ peer: '192.0.2.7', forwarded: false }),
    mayRead({ peer: null, forwarded: false }),
  ]).toEqual([true, false, false, false])
})

test('metrics with a token: who sends it, from anywhere', () => {
  const mayRead = createMetricsAccess(TOKEN)
  const asked = [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN, '', null, undefined]
  const answers = asked.map(authorization => mayRead({ authorization, peer: '127.0.0.1', forwarded: false }))
  expect(answers).toEqual([true, true, false, false, false, false, false, false])
  expect(() => createMetricsAccess('short')).toThrow('at least 16 bytes')
})
