// Ranks records by the meaning of their text, with vectors that the host's `embed` service makes.

const BATCH = 64

/**
 * The host service `embed`: one vector per text, in order, all of one length.
 * @typedef {(texts: string[], options: { signal?: AbortSignal }) => Promise<number[][]>} Embed
 */

/**
 * Embeds the records once.
 *
 * @param {{ id: string, title: string, text: string }[]} records
 * @param {Embed} embed
 * @param {number} leastSimilarity the least cosine of a record that is returned
 * @returns {Promise<(query: string, signal?: AbortSignal) => Promise<string[]>>} ids, nearest to the query first
 * @throws {TypeError} if `embed` does not return one vector of finite numbers per text
 */
export async function createVectorRanking(records, embed, leastSimilarity) {
  /** @type {{ id: string, vector: number[] }[]} */
  const embedded = []
  for (let at = 0; at < records.length; at += BATCH) {
    const batch = records.slice(at, at + BATCH)
    const vectors = await unitVectors(
      embed,
      batch.map(({ title, text }) => `${title}\n${text}`),
      {},
    )
    embedded.push(...batch.map(({ id }, index) => ({ id, vector: vectors[index] })))
  }
  return async (query, signal) => {
    const [wanted] = await unitVectors(embed, [query], { signal })
    const near = embedded
      .map(({ id, vector }) => ({ id, cosine: dot(vector, wanted) }))
      .filter(({ cosine }) => cosine >= leastSimilarity)
    return near.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  }
}

/** @param {Embed} embed @param {string[]} texts @param {{ signal?: AbortSignal }} options */
async function unitVectors(embed, texts, options) {
  const vectors = await embed(texts, options)
  const isUsable =
    Array.isArray(vectors) &&
    vectors.length === texts.length &&
    vectors.every(vector => vector.length === vectors[0].length && vector.length > 0 && vector.every(Number.isFinite))
  if (!isUsable) throw new TypeError('`embed` must return one vector of finite numbers per text, all of one length')
  return vectors.map(toUnit)
}

/** @param {number[]} vector */
function toUnit(vector) {
  const length = Math.hypot(...vector) || 1
  return vector.map(number => number / length)
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  return a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0)
}
