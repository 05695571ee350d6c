// The server's own log: JSON lines on stderr; stdout is reserved for audit lines.

/** @param {'info' | 'warn' | 'error'} level @param {string} message @param {object} [fields] */
function write(level, message, fields) {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`)
}

/** @type {import('./voice-types.js').Logger} */
export const stderrLogger = {
  info: (message, fields) => write('info', message, fields),
  warn: (message, fields) => write('warn', message, fields),
  error: (message, fields) => write('error', message, fields),
}
