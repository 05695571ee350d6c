// How much work something is: the time of the processor, which other programs on the machine don't lengthen.

/** @param {() => unknown} work @returns {Promise<number>} milliseconds of the processor that this process has used */
export async function cpuMsOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
