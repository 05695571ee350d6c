// Starts the built app. Without OPENAI_API_KEY its model is the simulator.
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import next from 'next'

if (!process.env.OPENAI_API_KEY) {
  const { startSimulator } = await import('toolgate-simulator')
  const { url } = await startSimulator({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
  Object.assign(process.env, { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${url}/v1` })
}

const app = next({ dir: import.meta.dirname })
await app.prepare()
const server = createServer(app.getRequestHandler())
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
