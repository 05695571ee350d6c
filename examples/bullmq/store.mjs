// What both processes share: the store of the sessions, and the connection of the queue.
export const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
export const store = { redis: { url } }
export const connection = { url, maxRetriesPerRequest: null }
