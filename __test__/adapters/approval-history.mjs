// One random history of questions and answers over all surfaces, and what must hold after each of its steps: what has run was on a
// card that was answered yes and still open, as it was shown or as its user changed it, once for each question.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

import { TOOLS, filledIn } from './approval-stage.mjs'
import { EDITING, NAMING, NUMBERING, REMEMBERING } from './approval-surfaces.mjs'

/**
 * @typedef {{ surface: string, place: number, call: object, token: string, shown: { args: object, preview: string }, isRepeat: boolean,
 *   reply: (reply: object) => Promise<object> }} Card
 * @typedef {{ card: Card, approved: boolean, args?: object, place: number }} Answer
 */

/** The tools that both gates have alike. */
const SAME = new Set(['move', 'log'])
/** What the ids begin with that are given anew in each turn; the gate takes so short ones for none. */
const NUMBERED = 'call_#'
const STEP_MS = 120_000

const callOf = ({ call: { id, name, args } }) => JSON.stringify([id, name, args])
const withoutTool = ({ tool: _, ...args }) => args
const isRun = (run, tool, args) => run.tool === tool && isDeepStrictEqual(withoutTool(run), args)

/** Whole numbers from 0 up to, and without, the bound. @param {number} seed */
function randomNumbers(seed) {
  let state = seed
  return (/** @type {number} */ bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** No call and no answer hangs. @param {Promise<unknown>} step */
async function inTime(step) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('a step does not end')), STEP_MS)
  })
  await Promise.race([step, late]).finally(() => clearTimeout(timer))
}

export class ApprovalHistory {
  #stage
  #surfaces
  #counts
  #name
  #roll
  #desks = []
  /** @type {Card[]} */
  #cards = []
  #calls = []
  /** The questions whose act has run, and those that were closed. */
  #ran = new Set()
  #closed = new Set()
  /** Each yes that its framework gives again when it repeats the call. @type {Answer[]} */
  #remembered = []
  #lastAsked
  /** The questions that the gate has asked, or asked again, in the step. @type {Set<string>} */
  #askedNow = new Set()
  #turn = 0
  #made = 0
  #steps = []

  /** @param {object} stage @param {object} surfaces @param {Record<string, number>} counts @param {{ seed: number, number: number }} which */
  constructor(stage, surfaces, counts, { seed, number }) {
    this.#stage = stage
    this.#surfaces = surfaces
    this.#counts = counts
    this.#name = `approvals-${seed}-${number}`
    this.#roll = randomNumbers(Math.imul(seed, 7919) + Math.imul(number + 1, 104_729))
    stage.runs.set(this.#name, [])
  }

  async play(steps) {
    for (const place of [0, 1]) this.#desks[place] = await this.#openDesk(place)
    await this.#beginTurn()
    try {
      for (let step = 0; step < steps; step++) await inTime(this.#step())
    } catch (problem) {
      const steps = this.#steps.map(one => JSON.stringify(one)).join('\n')
      throw new Error(`${this.#name}: ${problem.message}\n${steps}`, { cause: problem })
    }
    for (const { session } of this.#desks) await session.detach()
  }

  /** A gate as its hosts see it; what it asks is noted with the token, which no surface of an adapter shows. */
  async #openDesk(place) {
    const session = await this.#stage.attach(place, this.#name)
    const note = answer => {
      const request = answer?.error?.confirmation_request
      if (request !== undefined) {
        this.#lastAsked = request
        this.#askedNow.add(request.token)
      }
      return answer
    }
    const noted = new Proxy(session, {
      get: (_, name) => {
        const value = session[name]
        if (typeof value !== 'function') return value
        return async (...given) => note(await value.apply(session, given))
      },
    })
    const kept = new Map()
    const once = (key, make) => {
      if (!kept.has(key) || (key !== 'context' && key !== 'decisions' && this.#roll(4) === 0)) kept.set(key, make())
      return kept.get(key)
    }
    return { session: noted, registry: session.registry, turn: '', once }
  }

  async #beginTurn() {
    this.#turn += 1
    this.#note('turns')
    for (const desk of this.#desks) {
      desk.turn = `turn-${this.#turn}`
      await desk.session.beginTurn(desk.turn)
    }
  }

  get #runs() {
    return this.#stage.runs.get(this.#name)
  }

  /** The questions that are open, by token. @returns {Promise<Map<string, object>>} */
  async #open() {
    const pending = await this.#pick(this.#desks).session.listPending()
    return new Map(pending.map(one => [one.token, one]))
  }

  #pick(list) {
    return list[this.#roll(list.length)]
  }

  #note(what, ...more) {
    this.#steps.push([what, ...more])
    this.#counts[what] = (this.#counts[what] ?? 0) + 1
  }

  async #step() {
    const what = this.#roll(20)
    if (what < 7 || this.#cards.length === 0) return this.#call(await this.#open())
    if (what < 15) return this.#answer(await this.#open())
    if (what < 17) return this.#look(await this.#open())
    if (what < 18) return this.#forge()
    return this.#beginTurn()
  }

  /** What is called: a new call, an equal one, one that is delivered again, or under an id that was used or is numbered anew. */
  #newCall() {
    const known = this.#calls.length > 0 ? this.#pick(this.#calls) : undefined
    const kind = this.#roll(8)
    if (known !== undefined && kind === 0) return { ...known }
    const id =
      kind === 1 ? `${NUMBERED}${this.#roll(3)}` : known !== undefined && kind === 2 ? known.id : this.#freshId()
    if (known !== undefined && kind > 4) return { ...known, id }
    const args = { to: this.#pick(['bob', 'cyd']), amount: 1 + this.#roll(2) }
    return { id, name: this.#pick(TOOLS), args, step: `${this.#turn}-${this.#roll(2)}` }
  }

  #freshId() {
    return `call_of_${this.#name.replaceAll('-', '_')}_${(this.#made += 1)}`
  }

  /** A call asks, or is answered. Nothing runs without an answer but an act that its tool does not ask about, the first time. */
  async #call(open) {
    const call = this.#newCall()
    const surface = this.#pick(Object.keys(this.#surfaces))
    const place = this.#roll(2)
    this.#note('calls', surface, place, call.id, call.name, call.args)
    this.#calls.push(call)
    const before = [...this.#runs]
    this.#lastAsked = undefined
    const made = await this.#surfaces[surface](this.#desks, place, call)
    const ran = this.#runs.slice(before.length)
    const free = run => run.tool === 'log' && call.name === 'log' && !before.some(one => isDeepStrictEqual(one, run))
    if (ran.length > 1 || !ran.every(free)) this.#justify(ran, [], open)
    this.#keepCard(surface, place, call, made)
    this.#checkAnswer(made.answer)
  }

  /** What a surface shows is the gate's question. */
  #keepCard(surface, place, call, { shown, reply }) {
    if (shown === undefined) return
    const { token, args, preview } = this.#lastAsked
    assert.deepEqual({ args, preview, ...shown, token, expires: 0 }, { ...shown, args, preview, token, expires: 0 })
    assert.ok(!this.#closed.has(token), 'a question that was closed is asked again')
    const isRepeat = preview.startsWith('Already done')
    this.#cards.push({ surface, place, call, token, shown: { args, preview }, isRepeat, reply })
    this.#note(isRepeat ? 'askedAgain' : 'asked', surface)
  }

  /** An answer to one card, the same one twice at once, or answers to two cards at once. @param {Map<string, object>} open */
  async #answer(open) {
    const answers = [this.#newAnswer(open)]
    const also = this.#roll(6)
    if (also === 0) answers.push({ ...answers[0], place: this.#roll(2) })
    if (also === 1) answers.push(this.#newAnswer(open))
    const before = this.#runs.length
    for (const { card, approved, args, place } of answers)
      this.#note(approved ? (args ? 'edits' : 'confirms') : 'denials', card.surface, place, card.shown, args)
    if (answers.length > 1) this.#note('atOnce')
    this.#lastAsked = undefined
    this.#askedNow.clear()
    const made = await Promise.all(
      answers.map(({ card, approved, args, place }) => card.reply({ approved, place, ...(args && { args }) })),
    )
    this.#justify(this.#runs.slice(before), answers, open)
    for (const [index, one] of made.entries()) {
      // Of two at once, it is not known which question was asked last.
      const { card, place } = answers[index]
      if (answers.length === 1) this.#keepCard(card.surface, place, card.call, one)
      this.#checkAnswer(one.answer, card)
    }
    if (answers.length === 1) this.#checkHeard(answers[0], made[0].answer, open)
    const left = await this.#open()
    for (const token of open.keys()) if (!left.has(token)) this.#closed.add(token)
    for (const token of left.keys()) assert.ok(!this.#closed.has(token), 'a question that was closed is open again')
  }

  #newAnswer(open) {
    const asked = this.#cards.filter(({ token }) => open.has(token))
    const card = asked.length > 0 && this.#roll(3) > 0 ? this.#pick(asked) : this.#pick(this.#cards)
    const approved = this.#roll(4) > 0
    const isEdited = approved && EDITING.has(card.surface) && this.#roll(3) === 0
    const { args } = card.shown
    return {
      card,
      approved,
      place: this.#roll(2),
      ...(isEdited && { args: { ...args, amount: args.amount + this.#roll(3) } }),
    }
  }

  /** Each run is the act of a card that was open, and was answered yes: now, or before where its framework says so again. */
  #justify(ran, answers, open) {
    for (const answer of answers)
      if (answer.approved && REMEMBERING.has(answer.card.surface)) this.#remembered.push(answer)
    const yes = [...answers, ...this.#remembered].flatMap(({ card, approved, args }) =>
      (approved ? this.#meant(card) : []).filter(({ token }) => open.has(token)).map(card => ({ card, args })),
    )
    for (const run of ran) {
      const at = yes.findIndex(
        ({ card: { token, call, shown }, args }) =>
          !this.#ran.has(token) &&
          (args === undefined ? [shown.args] : filledIn(call.name, args)).some(args => isRun(run, call.name, args)),
      )
      assert.notEqual(at, -1, `what has run was not answered yes: ${JSON.stringify(run)}`)
      const { card } = yes[at]
      this.#ran.add(card.token)
      this.#note(`ran by ${card.surface}`)
      if (card.isRepeat) this.#note('ranAgain')
    }
  }

  /**
   * The cards that a yes to one is about: itself, where the answer names it. By a call's id it is one of this call with the same words; a
   * number that a server gives anew is that of its latest call.
   * @param {Card} card
   */
  #meant(card) {
    const { call, shown, surface } = card
    if (NAMING.has(surface)) return [card]
    const isNumber = NUMBERING.has(surface) && call.id.startsWith(NUMBERED)
    return this.#cards.filter(one => callOf(one) === callOf(card) && (isNumber || one.shown.preview === shown.preview))
  }

  /** A yes that names its question is heard, while the question is open, and its tool is the one that was shown. */
  #checkHeard({ card, approved, args, place }, answer, open) {
    const isSame = place === card.place || SAME.has(card.call.name)
    if (!approved || args || !isSame || !NAMING.has(card.surface) || !open.has(card.token)) return
    assert.notEqual(answer?.error?.type, 'CONFIRMATION_EXPIRED', JSON.stringify(answer))
    this.#note('heard')
  }

  /** An answer does not lie about what has run. @param {object | undefined} answer @param {Card} [card] */
  #checkAnswer(answer, card) {
    if (answer?.ok === true) {
      const known = this.#runs.some(run => isDeepStrictEqual(withoutTool(run), answer.data))
      assert.ok(known, `told, but not done: ${JSON.stringify(answer)}`)
    }
    // A call that was delivered again much later can be asked about again: what was declined is then the second act.
    const isOfCard = card !== undefined && [...this.#askedNow].every(token => token === card.token)
    if (answer?.error?.type === 'CANCELLED' && isOfCard)
      assert.ok(!this.#ran.has(card.token), `done, but told as declined: ${JSON.stringify(answer)}`)
  }

  /** A look changes nothing, and knows what has run. */
  async #look(open) {
    const card = this.#pick(this.#cards)
    const before = this.#runs.length
    const named = this.#roll(2) === 0 ? { token: card.token } : { callId: card.call.id }
    this.#note('looks', named)
    const { status } = await this.#pick(this.#desks).session.outcome(named)
    assert.deepEqual(await this.#open(), open)
    assert.equal(this.#runs.length, before, 'a look has run something')
    if (named.token === undefined) return
    if (this.#ran.has(card.token)) assert.equal(status, 'answered')
    assert.equal(status === 'pending', open.has(card.token), `${status} of a question`)
  }

  /** A yes that no card carries. */
  async #forge() {
    const { call, token, shown } = this.#pick(this.#cards)
    const { session } = this.#pick(this.#desks)
    const before = this.#runs.length
    const other = { ...call, args: { ...shown.args, amount: shown.args.amount + 50 } }
    const unasked = { ...call, id: this.#freshId() }
    // An id that is numbered anew can be that of a call of this tool, too, which was asked about.
    const name = TOOLS[(TOOLS.indexOf(call.name) + 1) % TOOLS.length]
    if (this.#calls.some(known => known.id === call.id && known.name === name)) return
    const forgeries = {
      'of other arguments': () => session.confirm(other),
      'of other arguments with its token': () => session.confirm(other, { token }),
      'of a call that was not asked about': () => session.confirm(unasked),
      'with an invented token': () => session.confirm(call, { token: 'A'.repeat(43) }),
      'of another tool': () => session.confirm({ ...call, name }),
    }
    const which = this.#pick(Object.keys(forgeries))
    this.#note('forged', which, call)
    await forgeries[which]()
    assert.equal(this.#runs.length, before, `a forged yes has run something: ${which}`)
  }
}
