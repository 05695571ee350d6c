// How long a build of many tool folders takes that has never been built: a fresh child for each measurement, the
// contenders in turns.
import { measureFresh } from './fresh-process.mjs'
import { writeToolFolders } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const CONTENDERS = ['ajv', 'toolgate']
const TOOL_COUNT = 500

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ toolCount: number, times: number, medians: Record<string, { builtMs: number }> }>}
 */
export async function measureBuild({ isQuick }) {
  const times = isQuick ? 1 : 5
  const folders = writeToolFolders(manyTools(TOOL_COUNT))
  try {
    const args = [folders.toolsDir]
    return {
      toolCount: TOOL_COUNT,
      times,
      medians: await measureFresh({ child: 'build-child.mjs', contenders: CONTENDERS, args, times }),
    }
  } finally {
    folders.remove()
  }
}
