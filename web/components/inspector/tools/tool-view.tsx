import { ArrowLeft, Play } from 'lucide-react'
import Link from 'next/link'
import { Notice } from '@/components/ui/notice'
import { Tab, TabList, TabPanel, Tabs } from '@/components/ui/tabs'
import button from '@/components/ui/button.module.css'
import { classNames } from '@/lib/class-names'
import type { ToolDetail } from '@/lib/inspector/tool-view'
import { JsonView } from '../json-view'
import { Declarations } from './declarations'
import { Examples } from './examples'
import { Guide } from './guide'
import { Parameters } from './parameters'
import { ToolBadges } from './tool-badges'
import { ToolFacts } from './tool-facts'
import styles from './tool-view.module.css'

/** One tool: its description, how the gate treats its calls, and its declarations for models. */
export function ToolView({ tool }: { tool: ToolDetail }) {
  return (
    <article className={styles.view}>
      <header className={styles.head}>
        <Link href="/inspector" className={styles.back}>
          <ArrowLeft size={14} aria-hidden="true" /> All tools
        </Link>
        <div className={styles.title}>
          <h1>{tool.toolId}</h1>
          <Link
            href={`/inspector/try?tool=${tool.toolId}`}
            className={classNames(button.button, button.primary, button.m)}
          >
            <Play size={15} aria-hidden="true" />
            Try it
          </Link>
        </div>
        <p className={styles.summary}>{tool.description}</p>
        <p className={styles.badges}>
          <ToolBadges tool={tool} />
        </p>
        {!tool.available && (
          <Notice tone="stop">
            Models are not told of this tool here: it needs {tool.requires.join(', ')}, and this server has not got all
            of that.
          </Notice>
        )}
      </header>
      <div className={styles.columns}>
        <ToolTabs tool={tool} />
        <ToolFacts tool={tool} />
      </div>
    </article>
  )
}

function ToolTabs({ tool }: { tool: ToolDetail }) {
  return (
    <Tabs defaultValue="parameters" className={styles.tabs}>
      <TabList aria-label={`About ${tool.toolId}`}>
        <Tab value="parameters">Parameters</Tab>
        <Tab value="providers">Providers</Tab>
        <Tab value="guide">Guide</Tab>
        <Tab value="examples">Examples</Tab>
        <Tab value="schema">Schema</Tab>
      </TabList>
      <TabPanel value="parameters">
        <Parameters schema={tool.jsonSchema} />
      </TabPanel>
      <TabPanel value="providers">
        <Declarations declarations={tool.declarations} />
      </TabPanel>
      <TabPanel value="guide">
        <Guide text={tool.documentation} />
      </TabPanel>
      <TabPanel value="examples">
        <Examples tool={tool} />
      </TabPanel>
      <TabPanel value="schema" className={styles.schemas}>
        <h2>Arguments</h2>
        <JsonView tall value={tool.jsonSchema} label="JSON Schema of the arguments" />
        {tool.compiled?.resultSchema && (
          <>
            <h2>Result</h2>
            <JsonView tall value={tool.compiled.resultSchema} label="JSON Schema of the result" />
          </>
        )}
      </TabPanel>
    </Tabs>
  )
}
