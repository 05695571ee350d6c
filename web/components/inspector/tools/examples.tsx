import Link from 'next/link'
import { Notice } from '@/components/ui/notice'
import type { ToolDetail } from '@/lib/inspector/tool-view'
import { JsonView } from '../json-view'
import styles from './tool-view.module.css'

export function Examples({ tool: { toolId, compiled } }: { tool: ToolDetail }) {
  if (compiled === null)
    return (
      <Notice>
        The compiled tool set at hand is another version than the one that runs: its examples are not shown.
      </Notice>
    )
  if (compiled.examples.length === 0)
    return <Notice>This tool has no examples. Some providers pass them on to the model.</Notice>
  return (
    <div className={styles.schemas}>
      {compiled.examples.map((example, place) => (
        <JsonView key={place} value={example} label={`Example ${place + 1}`} />
      ))}
      <p>
        <Link href={`/inspector/try?tool=${toolId}`}>Try one of them</Link>
      </p>
    </div>
  )
}
