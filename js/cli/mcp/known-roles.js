'use strict'

// The roles that principals had in their last requests: a call that is confirmed on a page, or by a link, runs with them.

/** The most principals that are remembered; of more, the ones that were longest away are forgotten, and have no roles then. */
const MAX_PRINCIPALS = 10_000

class KnownRoles {
  /** @type {Map<string, string[] | undefined>} */
  #roles = new Map()
  #usual

  /** @param {string[] | undefined} usual of requests without an identity */
  constructor(usual) {
    this.#usual = usual
  }

  /** @param {import('../../http/index').Authenticate} authenticate @returns {import('../../http/index').Authenticate} */
  noting(authenticate) {
    return async request => {
      const identity = await authenticate(request)
      if (typeof identity?.principal === 'string') this.#note(identity.principal, identity.roles)
      return identity
    }
  }

  /** @param {string | null} principal */
  of(principal) {
    return principal === null ? this.#usual : this.#roles.get(principal)
  }

  /** @param {string} principal @param {string[] | undefined} roles */
  #note(principal, roles) {
    this.#roles.delete(principal)
    this.#roles.set(principal, roles)
    if (this.#roles.size <= MAX_PRINCIPALS) return
    const [oldest] = this.#roles.keys()
    this.#roles.delete(oldest)
  }
}

module.exports = { KnownRoles }
