// The load test gives the handler, in load-jobs.mjs.
export async function execute() {
  throw new Error('the load test must give the handler of this tool')
}
