// Two processes on one Redis, which is paused, killed, started again and cut off while they pay; and a thousand equal calls
// at once.
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { burst, roundsOfTrouble } from './server-trouble.mjs'
import { rounds } from './stage.mjs'

const ROUNDS = rounds(60, 4)
const withRedis = hasRedis ? test : test.skip

withRedis(
  `${ROUNDS} rounds of trouble with two processes: nothing happens twice, nothing committed is missing`,
  async () => {
    const server = await RedisServer.start()
    await roundsOfTrouble({ server, rounds: ROUNDS, storeAt: cable => ({ redis: cable.url }) })
  },
  900_000,
)

withRedis('1000 equal calls at once over 4 processes run once and all get the same answer', async () => {
  const server = await RedisServer.start()
  await burst({ redis: server.url, timeoutMs: 20_000 })
})
