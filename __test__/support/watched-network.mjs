// Watches every way out of this process while a test runs. Connections, name look-ups, datagrams and child processes are
// refused below the functions that code imports, so that no import escapes; a hook on the runtime's own handles counts
// what would bypass that.
import { createHook } from 'node:async_hooks'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const [net, dgram, dns, childProcess] = ['net', 'dgram', 'dns', 'child_process'].map(name => require(`node:${name}`))

/** Handles of the runtime that leave the process. */
const HANDLES = new Set([
  'TCPCONNECTWRAP',
  'PIPECONNECTWRAP',
  'GETADDRINFOREQWRAP',
  'QUERYWRAP',
  'UDPSENDWRAP',
  'PROCESSWRAP',
])
const LOOK_UPS = [
  [dns, ['lookup', 'lookupService', ...Object.keys(dns).filter(name => /^(resolve|reverse)/.test(name))]],
  [
    dns.promises,
    ['lookup', 'lookupService', ...Object.keys(dns.promises).filter(name => /^(resolve|reverse)/.test(name))],
  ],
  ...[dns.Resolver, dns.promises.Resolver].map(({ prototype }) => [
    prototype,
    Object.getOwnPropertyNames(Object.getPrototypeOf(prototype))
      .concat(Object.getOwnPropertyNames(prototype))
      .filter(name => /^(resolve|reverse)/.test(name)),
  ]),
]

/**
 * Begins to watch. `seen` lists what was tried, such as `connect evil.example:80`, in order; `handles` the kinds of the
 * runtime's handles.
 *
 * @param {{ allowed?: string[] }} [options] `allowed`: `host:port` that are connected to all the same
 */
export function watchNetwork({ allowed = [] } = {}) {
  const seen = []
  const handles = []
  const undo = []
  const replace = (owner, name, make) => {
    const real = owner[name]
    owner[name] = make(real)
    undo.push(() => (owner[name] = real))
  }
  const refuse = what => {
    seen.push(what)
    throw Object.assign(new Error(`the test let nothing out: ${what}`), { code: 'ECONNREFUSED' })
  }
  replace(net.Socket.prototype, 'connect', real => {
    return function connect(...args) {
      const target = targetOf(args)
      if (allowed.includes(target)) {
        seen.push(`connect ${target}`)
        return real.apply(this, args)
      }
      return refuse(`connect ${target}`)
    }
  })
  for (const [owner, names] of LOOK_UPS)
    for (const name of names) replace(owner, name, () => host => refuse(`${name} ${host}`))
  for (const name of ['connect', 'send'])
    replace(
      dgram.Socket.prototype,
      name,
      () =>
        (...args) =>
          refuse(`datagram ${args.filter(arg => typeof arg !== 'function').join(' ')}`),
    )
  replace(
    childProcess.ChildProcess.prototype,
    'spawn',
    () =>
      ({ file }) =>
        refuse(`spawn ${file}`),
  )
  replace(globalThis, 'fetch', real => async (input, init) => {
    seen.push(`fetch ${typeof input === 'object' && 'url' in input ? input.url : String(input)}`)
    return real(input, init)
  })
  const hook = createHook({ init: (_id, type) => void (HANDLES.has(type) && handles.push(type)) }).enable()
  return {
    seen,
    handles,
    stop() {
      hook.disable()
      for (const act of undo.reverse()) act()
    },
  }
}

/** `host:port`, or the path, that a socket connects to, in each form that it takes. */
function targetOf([first, second]) {
  // `net.connect` has its arguments normalized in a list.
  const [options, host] = Array.isArray(first) ? first : [first, second]
  if (typeof options !== 'object') return typeof host === 'string' ? `${host}:${options}` : `localhost:${options}`
  return options.path ?? `${options.host ?? 'localhost'}:${options.port}`
}
