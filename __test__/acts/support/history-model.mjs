// What the gate must do in a history, one act after another: the only ways to a run are a yes to what was shown, with the
// changes of its user, and a grant.

/** @typedef {{ tool: string, to: string, amount: number }} Act */

const keyOf = ({ tool, to, amount }) => `${tool} ${to} ${amount}`

/** A session, as its user and its model see it. */
export class HistoryModel {
  turn = 0
  /** @type {(Act & { scope: string, calls: number, expires: number })[]} */
  grants = []
  /** Questions and what became of them, by the call that asked. */
  #questions = new Map()
  /** Approvers that a tool needs. */
  #approvers

  /** @param {Record<string, number>} approvers by tool */
  constructor(approvers) {
    this.#approvers = approvers
  }

  question(act) {
    return this.#questions.get(keyOf(act))
  }

  /** The calls whose question is open. @returns {Act[]} */
  pending() {
    return [...this.#questions.values()].filter(({ state }) => state === 'pending').map(({ act }) => act)
  }

  /** @param {Act} act @returns {'ran' | 'replay' | 'denied' | 'asked'} what runs by a grant takes one call of it */
  call(act) {
    const question = this.question(act)
    if (question?.state === 'pending') return 'asked'
    if (question?.state === 'confirmed' && this.turn - question.turn <= 1) return 'replay'
    const denied = question?.denied?.turn === this.turn ? question.denied.times : 0
    if (denied >= 2) return 'denied'
    const grant = this.#covering(act)
    if (grant && !this.#hasDenied(act.tool)) {
      if (--grant.calls === 0) this.grants.splice(this.grants.indexOf(grant), 1)
      return 'ran'
    }
    this.#questions.set(keyOf(act), { ...question, act, state: 'pending', turn: this.turn, approved: new Set() })
    return 'asked'
  }

  /** Whether the user has denied a call of the tool in this turn: then a grant asks in spite of itself. */
  #hasDenied(tool) {
    return [...this.#questions.values()].some(({ act, denied }) => act.tool === tool && denied?.turn === this.turn)
  }

  /** The grant that a call uses: the narrowest, and of several the one that ends first. */
  #covering(act) {
    return this.grants
      .filter(({ scope, ...of }) => of.tool === act.tool && (scope === 'tool' || keyOf(of) === keyOf(act)))
      .sort((a, b) => (a.scope === b.scope ? a.expires - b.expires : a.scope === 'args' ? -1 : 1))[0]
  }

  /**
   * A yes that may be given: by who asks, or by an approver.
   * @param {Act} act @param {{ ran?: Act, grant?: object, approver?: string }} how `ran`: as the user changed it
   * @returns {'ran' | 'counted'}
   */
  confirm(act, { ran = act, grant, approver }) {
    const question = this.question(act)
    question.approved.add(approver ?? '')
    if (question.approved.size < (this.#approvers[act.tool] ?? 1)) return 'counted'
    Object.assign(question, { state: 'confirmed', turn: this.turn })
    if (grant) this.#grant({ ...ran, ...grant })
    return 'ran'
  }

  #grant(grant) {
    const isSame = old => old.scope === grant.scope && old.tool === grant.tool
    this.grants = this.grants.filter(old => !isSame(old) || (old.scope === 'args' && keyOf(old) !== keyOf(grant)))
    if (grant.expires > 0) this.grants.push(grant)
  }

  /** A denial counts in the turn in which it was made. @param {Act} act whose user says no */
  deny(act) {
    const { turn } = this
    const { denied } = this.question(act)
    const times = denied?.turn === turn ? denied.times + 1 : 1
    Object.assign(this.question(act), { state: 'denied', denied: { turn, times } })
  }

  /** @param {Act} act whose question was open for too long */
  expire(act) {
    this.#questions.delete(keyOf(act))
  }
}
