'use client'
import type { ToolResponse } from 'toolgate'
import { Badge } from '@/components/ui/badge'
import { Card } from '@/components/ui/card'
import { Notice } from '@/components/ui/notice'
import { Table } from '@/components/ui/table'
import { Tab, TabList, TabPanel, Tabs } from '@/components/ui/tabs'
import { visible } from 'toolgate-react/parts'
import { InlineCodeText } from '../inline-code-text'
import { JsonView } from '../json-view'
import { factsOf, notableFacts, outcomeLabel } from './trial-labels'
import styles from './try-it.module.css'
import type { Trial } from './use-try-session'

/** The result of a call or of a decision, with all details. */
export function TrialView({ trial }: { trial: Trial }) {
  const { response, messages, progress, problem, what, name } = trial
  const { tone, text } = outcomeLabel(trial)
  return (
    <Card className={styles.trial} aria-label={`Answer ${trial.number}`}>
      <p role="status" className={styles.verdict}>
        <Badge tone={tone}>{text}</Badge>
        <code>{visible.text(name) || '(no name)'}</code>
        {what !== 'call' && <span>{what}</span>}
        {response && factsOf(response.meta).map(fact => <span key={fact}>{fact}</span>)}
      </p>
      {problem !== undefined && <Notice tone="stop">{problem}</Notice>}
      {what === 'denial' && problem === undefined && <Notice>Denied: nothing was run.</Notice>}
      {response && (
        <>
          {!response.ok && <Failure error={response.error} />}
          <Remarks response={response} />
          <Parts response={response} messages={messages} progress={progress} />
        </>
      )}
    </Card>
  )
}

function Failure({ error }: { error: (ToolResponse & { ok: false })['error'] }) {
  const details = Array.isArray(error.details)
    ? (error.details as { instancePath?: string; keyword?: string; message?: string }[])
    : []
  return (
    <>
      <p>
        <InlineCodeText text={error.message} />
      </p>
      {error.suggestion && (
        <p className={styles.soft}>
          <InlineCodeText text={error.suggestion} />
        </p>
      )}
      {error.type === 'VALIDATION' && details.length > 0 && (
        <Table caption="What does not fit the schema">
          <thead>
            <tr>
              <th scope="col">Where, and what</th>
            </tr>
          </thead>
          <tbody>
            {details.map(({ instancePath, keyword, message }, place) => (
              <tr key={place}>
                <td>
                  <p>
                    <code>{visible.text(instancePath || '/')}</code> <span className={styles.soft}>{keyword}</span>
                  </p>
                  <p>
                    <InlineCodeText text={message ?? ''} />
                  </p>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  )
}

function Remarks({ response: { meta } }: { response: ToolResponse }) {
  const remarks = notableFacts(meta)
  if (remarks.length === 0) return null
  return (
    <ul className={styles.remarks}>
      {remarks.map(remark => (
        <li key={remark}>{visible.text(remark)}</li>
      ))}
    </ul>
  )
}

function Parts({ response, messages, progress }: { response: ToolResponse } & Pick<Trial, 'messages' | 'progress'>) {
  const sent = messages.length + progress.length
  return (
    <Tabs defaultValue="response">
      <TabList aria-label="Parts of the answer">
        <Tab value="response">ToolResponse</Tab>
        {response.ok ? <Tab value="data">Data</Tab> : <Tab value="error">Error</Tab>}
        <Tab value="meta">Meta</Tab>
        {sent > 0 && <Tab value="sent">To the client ({sent})</Tab>}
      </TabList>
      <TabPanel value="response">
        <JsonView value={response} label="ToolResponse" />
      </TabPanel>
      {response.ok ? (
        <TabPanel value="data">
          <JsonView value={response.data ?? null} label="Data" />
        </TabPanel>
      ) : (
        <TabPanel value="error">
          <JsonView value={response.error} label="Error" />
        </TabPanel>
      )}
      <TabPanel value="meta">
        <JsonView value={response.meta} label="Meta" />
      </TabPanel>
      {sent > 0 && (
        <TabPanel value="sent">
          <JsonView value={{ messages, progress }} label="Sent to the client" />
        </TabPanel>
      )}
    </Tabs>
  )
}
