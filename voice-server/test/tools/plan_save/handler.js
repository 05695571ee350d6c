// Each test brings its own; this one says so when a test forgot to.
export async function execute() {
  throw new Error('the test must give a handler for this tool')
}
