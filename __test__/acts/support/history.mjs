// One random history: its acts, and what must come of each.
import assert from 'node:assert/strict'

import { seeded } from '../../../fuzz/random.cjs'
import { HistoryModel } from './history-model.mjs'

const HOUR = 3_600_000
const ASKER = 'ada'
/** The loop guard, which is no part of the model, refuses the fifth equal call of a turn. */
const MOST_IN_TURN = 4
const REFUSED = { CONFIRMATION_REQUIRED: 'asked', LOOP_DETECTED: 'denied' }
/** Amounts of the model are small; each change of a user is an amount of its own. */
const FIRST_EDIT = 1000
/** Of twenty acts, those that are calls. */
const CALLS = 8

const argsOf = ({ to, amount }) => ({ to, amount })

export class History {
  #stage
  #name
  #roll
  #model = new HistoryModel({ move: 2 })
  #tokens = new Map()
  #used = []
  /** What has happened, for a failure's message. */
  #acts = []
  #sessions = []
  #edits = FIRST_EDIT
  #calls = 0
  #act

  #callsInTurn = 0

  /** @param {{ runs: Map<string, object[]>, counts: Record<string, number>, registries: object[] }} stage */
  constructor(stage, seed, number) {
    this.#stage = stage
    this.#name = `history-${seed}-${number}`
    this.#roll = seeded(Math.imul(seed, 7919) + Math.imul(number + 1, 104_729)).below
  }

  async play(steps) {
    if (this.#sessions.length === 0) await this.#begin()
    const runs = this.#stage.runs.get(this.#name)
    for (let step = 0; step < steps; step++) {
      const before = runs.length
      const what = this.#roll(20)
      const act = this.#pick(what < CALLS)
      this.#act = act
      try {
        const expected = await this.#step(what, act)
        const ran = runs.slice(before)
        if (ran.length > expected.length) this.#count('unshown', ran.length - expected.length)
        assert.deepEqual(ran, expected)
      } catch (problem) {
        this.#acts.push(['failed', this.#model.turn, act])
        const acts = this.#acts.map(one => JSON.stringify(one)).join('\n')
        throw new Error(`${this.#name}: ${problem.message}\n${acts}`, { cause: problem })
      }
    }
  }

  async end() {
    for (const session of this.#sessions) await session.detach()
    this.#stage.runs.delete(this.#name)
  }

  async #begin() {
    this.#stage.runs.set(this.#name, [])
    for (const place of [0, 1]) await this.attach(place)
    await this.#beginTurn()
  }

  #count(what, times = 1) {
    this.#acts.push([what, this.#model.turn, this.#act])
    this.#stage.counts[what] = (this.#stage.counts[what] ?? 0) + times
  }

  /** Opens the session at a registry, or again. @param {number} place of the registry */
  async attach(place) {
    const policy = { totalCalls: 1000 }
    this.#sessions[place] = await this.#stage.registries[place].createSession({
      mode: 'text',
      sessionId: this.#name,
      principal: ASKER,
      policy,
    })
    if (this.#model.turn > 0) await this.#sessions[place].beginTurn(`turn-${this.#model.turn}`)
  }

  async #beginTurn() {
    this.#model.turn++
    this.#callsInTurn = 0
    for (const session of this.#sessions) await session.beginTurn(`turn-${this.#model.turn}`)
  }

  /** What a step is about: a new call, or rather one whose question is open. */
  #pick(isCall) {
    const open = this.#model.pending()
    if (open.length > 0 && (!isCall || this.#roll(5) === 0)) return open[this.#roll(open.length)]
    const granted = this.#model.grants
    if (granted.length > 0 && this.#roll(2) === 0) {
      const { tool, to, amount } = granted[this.#roll(granted.length)]
      return { tool, to, amount }
    }
    const tool = ['pay', 'pay', 'pay', 'move', 'flash'][this.#roll(5)]
    return { tool, to: ['bob', 'cyd'][this.#roll(2)], amount: 1 + this.#roll(2) }
  }

  /** @returns {Promise<object[]>} what must have run */
  async #step(what, act) {
    const isOpen = this.#model.question(act)?.state === 'pending'
    if (what < CALLS) return this.#call(act)
    if (what < 12 && isOpen) return this.#answer(act)
    if (what < 13 && isOpen) return this.#deny(act)
    if (what < 16) return this.#forge(act)
    if (what < 18) return this.#revoke()
    const place = this.#roll(2)
    await this.#sessions[place].detach()
    await this.attach(place)
    this.#count('reloads')
    return []
  }

  #session() {
    return this.#sessions[this.#roll(2)]
  }

  async #call(act) {
    if (this.#roll(4) > 0 || this.#callsInTurn === MOST_IN_TURN) await this.#beginTurn()
    this.#callsInTurn++
    const expected = this.#model.call(act)
    const id = `call_${this.#name.replaceAll('-', '_')}_${++this.#calls}`
    const answer = await this.#session().execute({ id, name: act.tool, args: argsOf(act) })
    const found = answer.ok ? (answer.meta._idempotent_cache_hit ? 'replay' : 'ran') : REFUSED[answer.error.type]
    assert.equal(found, expected, JSON.stringify(answer))
    this.#count('calls')
    if (found === 'asked') await this.#wasAsked(act, answer.error.confirmation_request)
    if (found !== 'ran') return []
    this.#count('byGrant')
    return [act]
  }

  async #wasAsked(act, { token, args }) {
    this.#count('asked')
    assert.deepEqual(args, argsOf(act))
    this.#tokens.set(JSON.stringify(act), token)
    if (act.tool !== 'flash') return
    const until = Date.now() + 1
    while (Date.now() <= until) await new Promise(setImmediate)
    const late = await this.#session().confirm(token)
    assert.equal(late.error?.type, 'CONFIRMATION_EXPIRED')
    this.#model.expire(act)
    this.#count('expired')
  }

  #token(act) {
    return this.#tokens.get(JSON.stringify(act))
  }

  /** A yes: with a change, a grant, an approver, or twice at once. */
  async #answer(act) {
    const token = this.#token(act)
    if (act.tool === 'move') return this.#approve(act, token)
    const ran = this.#roll(3) === 0 ? { ...act, amount: this.#edits++ } : act
    const ttlMs = this.#roll(4) === 0 ? 1 : HOUR + this.#roll(5) * HOUR
    const grant =
      this.#roll(3) === 0 ? undefined : { scope: ['args', 'tool'][this.#roll(2)], calls: 1 + this.#roll(3), ttlMs }
    const given = { ...(grant && { grant }), ...(ran !== act && { args: argsOf(ran) }) }
    const twice = this.#roll(3) === 0
    const answers = await Promise.all(
      (twice ? this.#sessions : [this.#session()]).map(one => one.confirm(token, given)),
    )
    const expires = ttlMs === 1 ? 0 : Date.now() + ttlMs
    this.#model.confirm(act, { ran, grant: grant && { ...grant, expires } })
    assert.ok(
      answers.some(({ ok }) => ok),
      JSON.stringify(answers),
    )
    for (const { ok, error, data, meta } of answers)
      if (ok)
        assert.deepEqual(
          [data, meta.edited?.map(({ path }) => path) ?? []],
          [argsOf(ran), ran === act ? [] : ['/amount']],
        )
      else assert.equal(error.type, 'CONFIRMATION_EXPIRED')
    for (const what of ['confirmed', ran !== act && 'edited', grant && 'granted', twice && 'answeredTwice'])
      if (what) this.#count(what)
    this.#used.push(token)
    // A grant of a millisecond has ended before the next act.
    for (const until = Date.now() + 2; ttlMs === 1 && Date.now() <= until;) await new Promise(setImmediate)
    return [ran]
  }

  async #approve(act, token) {
    const principal = ['dan', 'eve', 'fay'][this.#roll(3)]
    const answer = await this.#session().confirm(token, { approver: { principal, roles: ['manager'] } })
    const expected = this.#model.confirm(act, { approver: principal })
    assert.equal(answer.ok ? 'ran' : answer.error.type, expected === 'ran' ? 'ran' : 'CONFIRMATION_REQUIRED')
    this.#count(expected === 'ran' ? 'approved' : 'counted')
    if (expected !== 'ran') return []
    this.#used.push(token)
    return [act]
  }

  async #deny(act) {
    const approver = { principal: 'dan', roles: ['manager'] }
    const token = this.#token(act)
    assert.equal(await this.#session().deny(token, 'no', act.tool === 'move' ? { approver } : undefined), true)
    this.#model.deny(act)
    this.#used.push(token)
    this.#count('denied')
    return []
  }

  /** An answer that may not be given. Nothing runs, whatever it is. */
  async #forge(act) {
    const open = this.#model.question(act)?.state === 'pending'
    const token = open ? this.#token(act) : undefined
    const session = this.#session()
    const other = { ...act, amount: act.amount + 50 }
    const forgeries = [
      () => session.confirm('A'.repeat(token?.length ?? 43)),
      () => this.#used.length > 0 && session.confirm(this.#used[this.#roll(this.#used.length)]),
      () => session.confirm({ id: `call_forged_${this.#calls}_00001`, name: act.tool, args: argsOf(other) }),
      () => token && session.confirm(`${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`),
      () => token && session.confirm(token, { grant: { scope: 'all', calls: 1, ttlMs: HOUR } }),
      () => token && session.confirm(token, { args: { ...argsOf(act), amount: -1 } }),
      () => token && session.confirm(token, { args: { ...argsOf(act), cc: 'eve' } }),
      () => token && session.confirm(token, { approver: { principal: ASKER, roles: ['manager'] } }),
      () => token && session.confirm(token, { approver: { principal: 'gus', roles: ['clerk'] } }),
      () => act.tool === 'move' && token && session.confirm(token),
      () => act.tool === 'move' && token && session.confirm(token, { grant: { scope: 'args', calls: 1, ttlMs: HOUR } }),
    ]
    const answer = await forgeries[this.#roll(forgeries.length)]()
    if (!answer) return []
    assert.equal(answer.ok, false, JSON.stringify(answer))
    this.#count('forged')
    return []
  }

  async #revoke() {
    const grants = await this.#session().grants()
    const left = list => list.map(({ calls, callsLeft }) => calls ?? callsLeft).sort()
    assert.deepEqual(left(grants.map(({ callsLeft }) => ({ callsLeft }))), left(this.#model.grants))
    if (grants.length === 0) return []
    const { id, scope, callsLeft, expires, preview } = grants[this.#roll(grants.length)]
    assert.equal(await this.#session().revoke(id), true)
    const isIt = one =>
      one.scope === scope &&
      one.calls === callsLeft &&
      Math.abs(one.expires - expires) < 60_000 &&
      preview === (scope === 'args' ? `Pay ${one.amount} to ${one.to}` : null)
    const place = this.#model.grants.findIndex(isIt)
    assert.notEqual(place, -1, JSON.stringify([grants, this.#model.grants]))
    this.#model.grants.splice(place, 1)
    this.#count('revoked')
    return []
  }
}
