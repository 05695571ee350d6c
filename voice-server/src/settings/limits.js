// The limits of a voice server: their defaults, and how a host and an operator change them.

/** @satisfies {Record<import('../../server.js').VoiceLimit, number>} */
export const DEFAULT_LIMITS = {
  /** Maximum size of a client frame, bytes. */
  maxFrameBytes: 256 * 1024,
  /** Average text frames per second; a burst may have four times as many. */
  framesPerSecond: 20,
  /** Average audio bytes per second; a burst may have eight times as many. Speech needs 32 000. */
  audioBytesPerSecond: 128 * 1024,
  maxConnections: 1000,
  startTimeoutMs: 3_000,
  connectTimeoutMs: 15_000,
  /** Maximum duration of a farewell. */
  farewellTimeoutMs: 20_000,
  heartbeatMs: 30_000,
  /** Audio that the client's socket may buffer; further audio stays in a queue that an interruption clears. */
  audioAheadMs: 1000,
  /** Maximum unread bytes of a client; beyond it the connection is closed to bound memory. */
  maxUnreadBytes: 8 * 1024 * 1024,
  /** Audio of the user that is kept while the provider's socket is congested. */
  inputBacklogMs: 2000,
  /** Time without speech of the user and without a call after which a session is ended; 0: never. */
  idleMs: 10 * 60_000,
  /** Time after which a connection's session is ended; 0: never. */
  durationMs: 60 * 60_000,
  /** Audio of the user that is kept while the provider's connection is restored. */
  reconnectBacklogMs: 10_000,
  /** Interval of pings of the provider's connection. */
  providerPingMs: 10_000,
  /** Time without a frame of the provider, while it owes an answer, after which the connection is restored. */
  answerSilenceMs: 15_000,
  /** How long a call runs, and all are silent, before the user hears a line; 0: never. */
  thinkingMs: 2000,
  /** Time between two such lines of one wait. */
  thinkingRepeatMs: 8000,
  /** Duration of speech over a running call that aborts it without a transcript; 0: any speech that the provider detects. */
  bargeInSpeechMs: 700,
  /** Delay before a failed answer is asked for again; doubles with each of three times. */
  answerRetryMs: 500,
  /** Work of the host for its model that begins in a second; a burst may have four times as many. */
  delegationsPerSecond: 2,
  /** How long the last words of the user are waited for before work on them begins. */
  delegationSettleMs: 300,
  /** How long the host may work on what a model asks for. */
  delegationTimeoutMs: 60_000,
  /** Poll interval for an answer given elsewhere to an open question. */
  pendingPollMs: 1000,
}

/** The longest time of a timer. */
const MOST = 2 ** 31 - 1
/** Limits that 0 switches off; any other must be more. */
const MAY_BE_OFF = ['idleMs', 'durationMs', 'bargeInSpeechMs', 'thinkingMs']

/**
 * @param {unknown} given
 * @returns {typeof DEFAULT_LIMITS}
 * @throws {TypeError} if a limit is unknown or out of its range
 */
export function checkedLimits(given = {}) {
  if (typeof given !== 'object' || given === null) throw new TypeError('`limits` must be an object')
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw new TypeError(`\`${name}\` is no limit; there are ${Object.keys(DEFAULT_LIMITS).join(', ')}`)
    const least = MAY_BE_OFF.includes(name) ? 0 : 1
    if (typeof value !== 'number' || !(value >= least && value <= MOST))
      throw new TypeError(`the limit \`${name}\` must be a number from ${least} to ${MOST}`)
  }
  return { ...DEFAULT_LIMITS, ...given }
}

/**
 * The limits of `TOOLGATE_VOICE_LIMITS`, written as `idleMs=300000, durationMs=0`.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Partial<typeof DEFAULT_LIMITS> | undefined}
 */
export function limitsOf(env) {
  const text = env.TOOLGATE_VOICE_LIMITS
  if (!text) return undefined
  const entries = text.split(',').map(entry => entry.split('=', 2).map(side => side.trim()))
  const given = Object.fromEntries(entries.map(([name, value]) => [name, value ? Number(value) : NaN]))
  try {
    checkedLimits(given)
  } catch (error) {
    throw new TypeError(`TOOLGATE_VOICE_LIMITS: ${/** @type {Error} */ (error).message}`, { cause: error })
  }
  return given
}
