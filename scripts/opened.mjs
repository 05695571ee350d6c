// What `npm start` prints once everything runs.
import path from 'node:path'

/**
 * @param {Omit<Awaited<ReturnType<typeof import('./services.mjs').startServices>>, 'failed' | 'stop'>} services
 * @param {string[]} files with the lines of the services; none if they are printed
 * @param {NodeJS.ProcessEnv} env
 */
export function opened({ webUrl, inspectorUrl, voiceUrl, voiceHealth, simulatorUrl, audit }, files, env) {
  const simulated = [env.GEMINI_API_KEY ? null : 'GEMINI_API_KEY', env.OPENAI_API_KEY ? null : 'OPENAI_API_KEY'].filter(
    Boolean,
  )
  return [
    '',
    `  Toolgate is running.`,
    '',
    `  talk          ${webUrl}     open this in a browser`,
    ...(env.TOOLGATE_INSPECTOR === 'off'
      ? []
      : [`  inspector     ${inspectorUrl}     the sessions, the tools, a form for each, the audit, the metrics`]),
    `  voice         ${voiceUrl}     health: ${voiceHealth}`,
    ...(simulatorUrl === null
      ? []
      : [`  SIMULATOR     ${simulatorUrl}     answers in place of a model: ${simulated.join(' and ')} not set`]),
    ...(files.length === 0 ? [] : [`  logs          ${files.join(', ')}     \`npm start -- --verbose\` prints them`]),
    `  audit         ${auditPlace(audit, files)}`,
    '',
    '  npm run smoke talks to both. Ctrl-C ends everything.',
    '',
  ].join('\n')
}

/** Where the audit lines go. @param {string} audit @param {string[]} files */
function auditPlace(audit, files) {
  if (audit === 'none') return 'nowhere: TOOLGATE_AUDIT is `none`'
  if (audit === 'stdout') return files.length === 0 ? 'printed here' : 'in the logs'
  return `${path.relative('', audit)}     both servers append to it`
}
