// Values of variables that both servers read: what they mean, and errors that name them.
import {
  allowedHostsOf,
  auditSinkOf,
  clientLimitsOf,
  metricsTokenOf,
  resumeSecretOf,
  traceEndpointOf,
  trustedProxiesOf,
  voiceOriginsOf,
  webOriginsOf,
} from '../../js/http/index.js'
import { createConfirmationRoute, createToolRoute } from '../../js/web/index.js'

const DEFAULTS = { maxBytes: 104_857_600, maxAgeMs: 86_400_000, keep: 30 }

test('an audit file rotates unless the operator says otherwise', () => {
  const sinkOf = (file, rotate) => auditSinkOf({ TOOLGATE_AUDIT: file, TOOLGATE_AUDIT_ROTATE: rotate })
  expect([auditSinkOf({}), sinkOf(''), sinkOf('none'), sinkOf('stdout', 'keep=1')]).toEqual([
    'stdout',
    'stdout',
    'none',
    'stdout',
  ])
  expect(sinkOf('/a.log')).toEqual({ file: '/a.log', rotate: DEFAULTS })
  expect(sinkOf('/a.log', 'maxAgeMs=3600000, keep=0')).toEqual({
    file: '/a.log',
    rotate: { ...DEFAULTS, maxAgeMs: 3_600_000, keep: 0 },
  })
  expect(sinkOf('/a.log', 'off')).toEqual({ file: '/a.log' })
})

test.each([
  [
    auditSinkOf,
    'TOOLGATE_AUDIT_ROTATE',
    'size=1',
    '`size` must be one of maxBytes, maxAgeMs, keep, as in `maxBytes=1000000, keep=9`',
  ],
  [auditSinkOf, 'TOOLGATE_AUDIT_ROTATE', 'toString=1', /^TOOLGATE_AUDIT_ROTATE: `toString` must be one of/],
  [auditSinkOf, 'TOOLGATE_AUDIT_ROTATE', 'maxBytes=0', '`maxBytes` must be a whole number from 1'],
  [auditSinkOf, 'TOOLGATE_AUDIT_ROTATE', 'keep', '`keep` must be a whole number from 0'],
  [metricsTokenOf, 'TOOLGATE_METRICS_TOKEN', 'short', 'the token for metrics must have at least 16 bytes'],
  [resumeSecretOf, 'TOOLGATE_RESUME_SECRET', 'short', 'must have at least 16 bytes'],
  [
    trustedProxiesOf,
    'TOOLGATE_TRUSTED_PROXIES',
    'loopback, proxy.example',
    /^TOOLGATE_TRUSTED_PROXIES: .*`proxy\.example`/,
  ],
  [clientLimitsOf, 'TOOLGATE_ADDRESS_LIMITS', 'x=1', /^TOOLGATE_ADDRESS_LIMITS: `x` is no limit/],
])('%p names %s for `%s`', (read, name, value, message) => {
  const expected = typeof message === 'string' ? `${name}: ${message}` : message
  expect(() => read({ [name]: value })).toThrow(expected)
})

test('values that are right', () => {
  expect(metricsTokenOf({ TOOLGATE_METRICS_TOKEN: '0123456789abcdef' })).toBe('0123456789abcdef')
  expect(trustedProxiesOf({ TOOLGATE_TRUSTED_PROXIES: '10.0.0.0/8, loopback' })).toEqual(['10.0.0.0/8', 'loopback'])
  for (const read of [metricsTokenOf, resumeSecretOf, trustedProxiesOf]) expect(read({})).toBeUndefined()
})

test('origins and hosts as requests have them', () => {
  const origins = 'https://App.example:443/, http://bücher.example:8080, capacitor://localhost, chrome-extension://abc'
  const read = [
    'https://app.example',
    'http://xn--bcher-kva.example:8080',
    'capacitor://localhost',
    'chrome-extension://abc',
  ]
  expect(webOriginsOf({ TOOLGATE_ALLOWED_ORIGINS: origins })).toEqual(read)
  expect(voiceOriginsOf({ ALLOWED_ORIGINS: 'no-origin,https://a.example' })).toEqual(['no-origin', 'https://a.example'])
  expect(allowedHostsOf({ TOOLGATE_ALLOWED_HOSTS: 'App.example, [::1], 10.0.0.7' })).toEqual([
    'app.example',
    '[::1]',
    '10.0.0.7',
  ])
  expect([webOriginsOf({}), allowedHostsOf({ TOOLGATE_ALLOWED_HOSTS: '' })]).toEqual([undefined, undefined])
})

test.each(['*', 'app.example', 'https://app.example/chat', 'https://ada:word-4711@app.example', 'null', 7])(
  'no page has the origin %s: a route is not made with it',
  origin => {
    for (const create of [createToolRoute, createConfirmationRoute]) {
      const made = () => create({}, { session: () => {}, allowedOrigins: [origin] })
      expect(made).toThrow(/must be an origin without path/)
      expect(made).not.toThrow('4711')
    }
  },
)

test('where spans are sent', () => {
  const [all, traces] = ['http://127.0.0.1:4318', 'https://collector.example/v1/traces']
  const of = more => traceEndpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: all, ...more })
  expect([of({}), of({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces })]).toEqual([all, traces])
  const off = [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, { OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }]
  expect(off.map(of)).toEqual([null, null, null])
})
