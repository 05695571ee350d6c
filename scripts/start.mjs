// `npm start`: installs what is missing, builds, starts the simulator, the voice server and the web app, and says what
// to open. Ctrl-C ends everything. The lines of the services go to files that it names; `npm start -- --verbose` prints them.
import { createServer } from 'node:net'

import { opened } from './opened.mjs'
import { preparePackage, prepareWeb } from './prepare.mjs'
import { openServiceLogs } from './service-logs.mjs'

const PORTS = {
  SIMULATOR_PORT: port('SIMULATOR_PORT', 8787),
  VOICE_PORT: port('VOICE_PORT', 8788),
  WEB_PORT: port('WEB_PORT', 3000),
}

function port(name, fallback) {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  const number = Number(text)
  if (Number.isInteger(number) && number > 0 && number <= 65535) return number
  console.error(`${name} \`${text}\` must be a number from 1 to 65535`)
  process.exit(1)
}

/** Checked before the build, which takes minutes. */
async function needFree(variable, number) {
  const taken = await new Promise(resolve => {
    const server = createServer().once('error', resolve)
    server.listen(number, '127.0.0.1', () => server.close(() => resolve(null)))
  })
  if (taken !== null)
    throw new Error(
      `port ${number} can't be used (${taken.code}); choose another with ${variable}, as in \`${variable}=${number + 100} npm start\``,
    )
}

async function main() {
  for (const [variable, number] of Object.entries(PORTS)) await needFree(variable, number)
  await preparePackage()
  await prepareWeb()
  // Imported only now: on a fresh clone its dependencies were not installed before.
  const { startServices } = await import('./services.mjs')
  const ports = { simulatorPort: PORTS.SIMULATOR_PORT, voicePort: PORTS.VOICE_PORT, webPort: PORTS.WEB_PORT }
  const logs = openServiceLogs({ isVerbose: process.argv.includes('--verbose') })
  const services = await startServices({ ...ports, onLine: logs.write }).catch(error => {
    throw withLines(error, logs)
  })
  console.log(opened(services, logs.files(), process.env))
  const stopped = new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  try {
    await Promise.race([stopped, services.failed])
    console.log('\nstopping…')
  } catch (error) {
    throw withLines(error, logs)
  } finally {
    await services.stop()
  }
  console.log('stopped')
}

/** The error with what the services have written last, which is not on the terminal. */
function withLines(error, logs) {
  const lines = logs.lastLines()
  return lines === '' ? error : new Error(`${lines}\n\n${error.message}`, { cause: error })
}

main().catch(error => {
  console.error(`\n${error.message}`)
  process.exitCode = 1
})
