import { isMoment, momentWithZone } from '../text/local-time.js'

interface FieldTableProps {
  /** For screen readers. */
  caption: string
  value: unknown
}

/**
 * The members of an object as rows, ids last; nested objects and lists are shown in place. Null and empty members are left
 * out.
 */
export function FieldTable({ caption, value }: FieldTableProps) {
  const rows = Object.entries(isObject(value) ? value : { value }).filter(([, member]) => !isEmpty(member))
  const ordered = [...rows.filter(([name]) => !isId(name)), ...rows.filter(([name]) => isId(name))]
  if (rows.length === 0) return null
  return (
    <table data-toolgate="table">
      <caption data-toolgate="unseen">{caption}</caption>
      <tbody>
        {ordered.map(([name, member]) => (
          <tr key={name}>
            <th scope="row">{wordsOf(name)}</th>
            <td>
              <FieldValue name={name} value={member} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FieldValue({ name, value }: { name: string; value: unknown }) {
  if (isMoment(value)) return <time dateTime={value}>{momentWithZone(value)}</time>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && /^https?:\/\//.test(value)) {
    return (
      <a href={value} target="_blank" rel="noreferrer noopener">
        {value}
      </a>
    )
  }
  if (Array.isArray(value)) {
    return (
      <ul>
        {value.map((item, index) => (
          <li key={index}>
            <FieldValue name={name} value={item} />
          </li>
        ))}
      </ul>
    )
  }
  return isObject(value) ? <FieldTable caption={wordsOf(name)} value={value} /> : String(value)
}

/** `start_time` and `startTime` as `Start time`. */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `event_id`, `eventId` or `id`. */
const isId = (name: string): boolean => /(?:^|_)id$|Id$/.test(name)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
