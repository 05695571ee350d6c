import { Badge } from '@/components/ui/badge'
import { EmptyState } from '@/components/ui/empty-state'
import { type ParameterRow, parameterRows } from '@/lib/inspector/parameter-rows'
import styles from './parameters.module.css'

/** A schema's properties as a table: name, type, bounds, description. */
export function Parameters({ schema }: { schema: Record<string, unknown> }) {
  const rows = parameterRows(schema)
  if (rows.length === 0)
    return (
      <EmptyState title="No parameters">
        <p>The tool is called with an empty object.</p>
      </EmptyState>
    )
  return (
    <ul className={styles.list}>
      {rows.map(row => (
        <Parameter key={row.path} {...row} />
      ))}
    </ul>
  )
}

function Parameter({ path, depth, type, bounds, isRequired, isSensitive, standard, description }: ParameterRow) {
  return (
    <li className={styles.parameter} data-depth={depth}>
      <p className={styles.facts}>
        <code className={styles.name}>{path}</code>
        <span className={styles.type}>{type}</span>
        {bounds && <span className={styles.type}>{bounds}</span>}
        {isRequired && <Badge tone="live">required</Badge>}
        {isSensitive && <Badge tone="stop">sensitive</Badge>}
        {standard !== undefined && <Badge>default {standard}</Badge>}
      </p>
      {description && <p className={styles.description}>{description}</p>}
    </li>
  )
}
