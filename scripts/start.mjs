// `npm start`: installs what is missing, builds, starts the simulator, the voice server and the web app, and says what to
// open. Ctrl-C ends everything.
import { preparePackage, prepareWeb } from './prepare.mjs'

const PORTS = { simulatorPort: port('SIMULATOR_PORT', 8787), voicePort: port('VOICE_PORT', 8788), webPort: port('WEB_PORT', 3000) }

function port(name, fallback) {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  const number = Number(text)
  if (Number.isInteger(number) && number > 0 && number <= 65535) return number
  console.error(`${name} \`${text}\` must be a number from 1 to 65535`)
  process.exit(1)
}

async function main() {
  await preparePackage()
  await prepareWeb()
  // Imported only now: on a fresh clone its dependencies were not there before.
  const { startServices } = await import('./services.mjs')
  const services = await startServices({ ...PORTS, onLine: (name, line) => console.log(`${name.padEnd(5)} │ ${line}`) })
  console.log(opened(services))
  const stopped = new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  try {
    await Promise.race([stopped, services.failed])
    console.log('\nstopping…')
  } finally {
    await services.stop()
  }
  console.log('stopped')
}

function opened({ webUrl, voiceUrl, voiceHealth, simulatorUrl }) {
  const simulated = [
    process.env.GEMINI_API_KEY ? null : 'GEMINI_API_KEY',
    process.env.OPENAI_API_KEY ? null : 'OPENAI_API_KEY',
  ].filter(Boolean)
  return [
    '',
    `  Toolgate is running.`,
    '',
    `  chat          ${webUrl}     open this in a browser`,
    `  voice         ${voiceUrl}     health: ${voiceHealth}`,
    ...(simulatorUrl === null ? [] : [`  SIMULATOR     ${simulatorUrl}     answers in place of a model: ${simulated.join(' and ')} not set`]),
    '',
    '  npm run smoke talks to both. Ctrl-C ends everything.',
    '',
  ].join('\n')
}

main().catch(error => {
  console.error(`\n${error.message}`)
  process.exitCode = 1
})
