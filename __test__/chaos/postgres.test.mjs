// Two processes on one Postgres, which is paused, killed, started again and cut off while they pay; and a thousand equal
// calls at once.
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { burst, roundsOfTrouble } from './server-trouble.mjs'
import { rounds } from './stage.mjs'

const ROUNDS = rounds(200, 4)
const withPostgres = hasPostgres ? test : test.skip

withPostgres(
  `${ROUNDS} rounds of trouble with two processes: nothing happens twice, nothing committed is missing`,
  async () => {
    const server = await PostgresServer.start()
    // A killed server takes seconds to recover on a busy machine.
    const storeAt = cable => ({ postgres: server.urlAt(cable.port) })
    await roundsOfTrouble({ server, rounds: ROUNDS, storeAt, pauseMs: 200 })
  },
  1_800_000,
)

withPostgres('1000 equal calls at once over 4 processes run once and all get the same answer', async () => {
  const server = await PostgresServer.start()
  await burst({ postgres: server.url, timeoutMs: 20_000 })
})
