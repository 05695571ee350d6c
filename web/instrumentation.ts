// Runs once when the server starts.

export async function register() {
  // In this form the bundler drops the import for runtimes without Node.
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./lib/start-gate')
}
