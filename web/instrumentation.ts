// Runs once when the server starts.

export async function register() {
  // Written so that the bundler drops the import where there is no Node.
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./lib/start-gate')
}
