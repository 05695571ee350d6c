'use client'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import { useCallback, useEffect, useState } from 'react'
import { type TriedCall, inspectorApi } from '@/lib/inspector/inspector-api'
import { loadFormValidator } from '@/lib/inspector/load-form-validator'
import type { ToolDetail } from '@/lib/inspector/tool-view'

export type EditorView = 'form' | 'json' | 'raw'
export type Arguments = Record<string, unknown>

export interface CallSettings {
  mode: string
  /** Empty: no id, as from a provider without call ids. */
  id: string
  /** Separated by commas. */
  roles: string
  newTurn: boolean
}

/** The edited call: a tool with its arguments in two views, or any name with any text. */
export function useCallDraft(first: string) {
  const [toolId, setToolId] = useState(first)
  const [view, setView] = useState<EditorView>('form')
  const [args, setArgs] = useState<Arguments>({})
  const [text, setText] = useState('{}')
  const [rawName, setRawName] = useState(first)
  const [settings, setSettings] = useState<CallSettings>({ mode: 'text', id: '', roles: '', newTurn: true })
  const { known, problem } = useTool(toolId)

  const fill = useCallback((given: Arguments) => {
    setArgs(given)
    setText(JSON.stringify(given, null, 2))
  }, [])
  const chooseTool = (chosen: string) => {
    setToolId(chosen)
    setRawName(chosen)
    fill({})
  }
  const chooseView = (chosen: EditorView) => {
    // Shows the JSON text in the form if it is valid for it.
    if (chosen === 'form') setArgs(shown => objectIn(text) ?? shown)
    if (view === 'form') setText(JSON.stringify(args, null, 2))
    setView(chosen)
  }
  const toCall = (): TriedCall => ({
    name: view === 'raw' ? rawName : toolId,
    args: view === 'form' ? JSON.stringify(args) : text,
    id: settings.id === '' ? null : settings.id,
    mode: settings.mode,
    newTurn: settings.newTurn,
    roles: rolesIn(settings.roles),
  })
  return {
    toolId,
    problem,
    view,
    args,
    text,
    rawName,
    settings,
    chooseTool,
    chooseView,
    setArgs,
    setText,
    setRawName,
    fill,
    toCall,
    tool: known?.tool ?? null,
    validator: known?.validator ?? null,
    isText: objectIn(text) !== null,
    /** The view of the arguments has its final size. */
    isReady: view !== 'form' || known !== null || problem !== null,
    /** A form can be sent once its validator is loaded. */
    canRun: view !== 'form' || (known?.validator ?? null) !== null,
    choose: (change: Partial<CallSettings>) => setSettings(chosen => ({ ...chosen, ...change })),
  }
}

export type CallDraft = ReturnType<typeof useCallDraft>

export const rolesIn = (text: string) =>
  text
    .split(',')
    .map(role => role.trim())
    .filter(role => role !== '')

interface KnownTool {
  tool: ToolDetail
  /** `null` if no form can be made from its schema. */
  validator: ValidatorType | null
}

/** The tool with its form's validator once loaded, or the reason that there is none. */
function useTool(toolId: string): { known: KnownTool | null; problem: string | null } {
  const [answer, setAnswer] = useState<{ toolId: string; known: KnownTool | null; problem: string | null } | null>(null)
  useEffect(() => {
    let isWanted = true
    const tell = (known: KnownTool | null, problem: string | null) => isWanted && setAnswer({ toolId, known, problem })
    if (toolId !== '')
      learn(toolId).then(
        known => tell(known, null),
        (error: Error) => tell(null, error.message),
      )
    return () => {
      isWanted = false
    }
  }, [toolId])
  return answer?.toolId === toolId ? answer : { known: null, problem: null }
}

async function learn(toolId: string): Promise<KnownTool> {
  const tool = await inspectorApi.tool(toolId)
  const validator = await loadFormValidator(toolId, tool.jsonSchema as RJSFSchema).catch(() => null)
  return { tool, validator }
}

function objectIn(text: string): Arguments | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : null
  } catch {
    return null
  }
}
