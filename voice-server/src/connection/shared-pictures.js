// Pictures of the client's camera and screen for the tools of its session: the service `vision` keeps the latest in memory.

/**
 * @typedef {object} PictureTaker the part of the service `vision` that takes pictures
 * @property {(sessionId: string, kind: string, bytes: Uint8Array) => unknown} put
 * @property {(sessionId: string, kind: string) => void} switchOff
 * @property {(sessionId: string) => void} clear
 */

/**
 * @param {Pick<import('toolgate').Session, 'service'>} session
 * @returns {PictureTaker | null} null if the host's service takes no pictures
 */
export function pictureTaker(session) {
  const taker = /** @type {Partial<PictureTaker> | undefined} */ (session.service('vision'))
  const isComplete = ['put', 'switchOff', 'clear'].every(name => typeof Reflect.get(taker ?? {}, name) === 'function')
  return isComplete ? /** @type {PictureTaker} */ (taker) : null
}

/**
 * @param {Pick<import('toolgate').Session, 'service' | 'sessionId'>} session
 * @param {{ kind: string, data?: string }} picture `data`: JPEG, PNG or WebP in base64; without it the user has switched it off
 * @returns {{ code: 'no_pictures' | 'bad_picture', message: string } | null} why it was refused
 */
export function takePicture(session, { kind, data }) {
  const taker = pictureTaker(session)
  const { sessionId } = session
  if (taker === null) return { code: 'no_pictures', message: 'the tools of this server look at no pictures' }
  if (data === undefined) {
    taker.switchOff(sessionId, kind)
    return null
  }
  try {
    taker.put(sessionId, kind, Buffer.from(data, 'base64'))
    return null
  } catch (error) {
    const { code, message } = /** @type {{ code?: unknown, message: string }} */ (error)
    if (code !== 'REJECTED') throw error
    return { code: 'bad_picture', message }
  }
}
