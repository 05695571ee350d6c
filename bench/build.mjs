// How long a build of many tool folders takes that has never been built: a fresh child for each measurement, the
// contenders in turns.
import { measureFresh } from './fresh-process.mjs'
import { writeToolFolders } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const CONTENDERS = ['ajv', 'toolgate']

/**
 * @param {{ toolCount: number, times: number }} options
 * @returns {Promise<{ toolCount: number, times: number, medians: Record<string, { builtMs: number }> }>}
 */
export async function measureBuild({ toolCount, times }) {
  const folders = writeToolFolders(manyTools(toolCount))
  try {
    const args = [folders.toolsDir]
    return { toolCount, times, medians: await measureFresh({ child: 'build-child.mjs', contenders: CONTENDERS, args, times }) }
  } finally {
    folders.remove()
  }
}
