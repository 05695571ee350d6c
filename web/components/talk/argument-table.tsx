import type { ArgumentRows } from '@/lib/shown-question'
import styles from './field-table.module.css'

/** The exact arguments of a question: every value, in full. Each is isolated, so that none reorders its neighbours. */
export function ArgumentTable({ rows }: { rows: ArgumentRows }) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Exact arguments</caption>
      <tbody>
        {rows.map(({ name, value }, index) => (
          <tr key={index}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>
              <bdi>{value}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
