import { Badge } from '@/components/ui/badge'
import { Notice } from '@/components/ui/notice'
import { Table } from '@/components/ui/table'
import { Tab, TabList, TabPanel, Tabs } from '@/components/ui/tabs'
import type { Declaration, ReceiptLine } from '@/lib/inspector/tool-view'
import { InlineCodeText } from '../inline-code-text'
import { JsonView } from '../json-view'
import styles from './declarations.module.css'

/** The tool's declaration for each provider, and the constraints that its format could not express. */
export function Declarations({ declarations }: { declarations: Declaration[] }) {
  return (
    <Tabs defaultValue={declarations[0]?.provider}>
      <div className={styles.providers}>
        <TabList aria-label="Providers">
          {declarations.map(({ provider, declaration, receipt }) => (
            <Tab key={provider} value={provider}>
              {provider} <Fate isAbsent={declaration === null} receipt={receipt} />
            </Tab>
          ))}
        </TabList>
      </div>
      {declarations.map(declared => (
        <TabPanel key={declared.provider} value={declared.provider} className={styles.panel}>
          <Receipt {...declared} />
          {declared.declaration !== null && (
            <JsonView tall value={declared.declaration} label={`Declaration for ${declared.provider}`} />
          )}
        </TabPanel>
      ))}
    </Tabs>
  )
}

function Fate({ isAbsent, receipt }: { isAbsent: boolean; receipt: ReceiptLine[] }) {
  const lost = receipt.filter(line => line.lost).length
  if (isAbsent) return <Badge tone="stop">absent</Badge>
  if (lost > 0) return <Badge tone="ask">{lost} lost</Badge>
  return receipt.length > 0 ? <Badge>{receipt.length} changed</Badge> : null
}

function Receipt({ provider, declaration, receipt }: Declaration) {
  if (receipt.length === 0)
    return <Notice tone="ok">Nothing is changed or lost: {provider} is told the schema as it is written.</Notice>
  const lost = receipt.filter(line => line.lost).length
  return (
    <>
      <Notice tone={declaration === null ? 'stop' : lost > 0 ? 'ask' : 'neutral'}>
        {declaration === null && 'This provider cannot take the tool. '}
        {receipt.length - lost} changed, {lost} lost. Whatever a declaration does not say is checked all the same when a
        call arrives.
      </Notice>
      <Table caption={`Lowering receipt for ${provider}`}>
        <thead>
          <tr>
            <th scope="col">Fate</th>
            <th scope="col">Where, and what</th>
          </tr>
        </thead>
        <tbody>
          {receipt.map(line => (
            <tr key={`${line.pointer} ${line.change}`}>
              <td>{line.lost ? <Badge tone="ask">lost</Badge> : <Badge>changed</Badge>}</td>
              <td className={styles.change}>
                <p>
                  <code>{line.pointer || '/'}</code>
                </p>
                <p>
                  <InlineCodeText text={line.change} />
                </p>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  )
}
