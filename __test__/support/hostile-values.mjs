// What JavaScript can throw, reject with or return, whose inspection throws or lies. Each is made anew.
import vm from 'node:vm'

const refuse = () => {
  throw new Error('hunter2')
}
const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map(trap => [trap, refuse]))

export function revoked(target = {}) {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** @type {Record<string, () => unknown>} */
export const HOSTILE_VALUES = {
  'a revoked proxy': () => revoked(),
  'a revoked function': () => revoked(() => {}),
  'a revoked list': () => revoked([]),
  'a proxy whose traps throw': () => new Proxy({}, traps),
  'a proxy whose traps throw a revoked proxy': () =>
    new Proxy(
      {},
      Object.fromEntries(
        Object.keys(traps).map(trap => [
          trap,
          () => {
            throw revoked()
          },
        ]),
      ),
    ),
  'an error with a prototype that can not be read': () =>
    Object.setPrototypeOf(
      Object.assign(() => {}, { type: 'PERMANENT' }),
      new Proxy(Function.prototype, { getPrototypeOf: refuse }),
    ),
  'getters that throw': () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        ['type', 'name', 'message', 'code', 'cause', 'ok', 'toJSON'].map(name => [name, { get: refuse }]),
      ),
    ),
  'a getter of then that throws': () => Object.defineProperty({ ok: true }, 'then', { get: refuse, enumerable: true }),
  'a thenable that throws': () => ({ then: refuse }),
  'a thenable that rejects with a revoked proxy': () => ({
    then: (_, reject) => reject(revoked()),
  }),
  'a conversion that throws': () => ({ [Symbol.toPrimitive]: refuse, toString: refuse, valueOf: refuse }),
  'a name that can not be converted': () => Object.assign(new Error('hunter2'), { name: { toString: refuse } }),
  'a type that can not be converted': () => ({ type: 'PERMANENT', message: { toString: refuse } }),
  'an object without prototype': () => Object.assign(Object.create(null), { message: 'hunter2' }),
  'an error of another realm': () => vm.runInNewContext("new Error('hunter2')"),
  'a symbol': () => Symbol('hunter2'),
  'an Error with a revoked cause': () => new Error('hunter2', { cause: revoked() }),
  'toJSON throws a revoked proxy': () => ({
    ok: true,
    data: {
      toJSON() {
        throw revoked()
      },
    },
  }),
  undefined: () => undefined,
}
