// What the allocator gives back. Resident memory is counted by the system, and on other systems by other rules.
import { runFresh } from '../../bench/fresh-process.mjs'

const linux = process.platform === 'linux' ? test : test.skip

linux(
  'memory of ended sessions goes back to the operating system, although nothing is allocated after them',
  async () => {
    const { givenBack } = await runFresh('growth/memory-child.mjs', ['end', 'full'])
    // It is half. Kept by the allocator until its next use, it would be less than nothing: ending takes memory too.
    expect(givenBack).toBeGreaterThan(0.25)
  },
)
