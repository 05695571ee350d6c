'use client'
import { useMemo, useState } from 'react'
import type { ToolSummary } from '@/lib/inspector/tool-view'

export interface ToolFilter {
  search: string
  category: string
  effect: string
  mode: string
  confirmation: string
}

const NONE: ToolFilter = { search: '', category: '', effect: '', mode: '', confirmation: '' }

/** The tools that match the filter, and the options among all tools. */
export function useToolFilter(tools: ToolSummary[]) {
  const [filter, setFilter] = useState(NONE)
  const choices = useMemo(
    () => ({
      category: distinct(tools.map(({ category }) => category)),
      effect: distinct(tools.map(({ effect }) => effect)),
      mode: distinct(tools.flatMap(({ allowedModes }) => allowedModes)),
      confirmation: distinct(tools.map(({ confirmation }) => confirmation)),
    }),
    [tools],
  )
  const found = useMemo(() => tools.filter(tool => matchesFilter(tool, filter)), [tools, filter])
  const isFiltered = Object.values(filter).some(value => value !== '')
  return {
    filter,
    choices,
    found,
    isFiltered,
    choose: (change: Partial<ToolFilter>) => setFilter(chosen => ({ ...chosen, ...change })),
    clear: () => setFilter(NONE),
  }
}

const distinct = (values: string[]) => [...new Set(values)].sort()

function matchesFilter(tool: ToolSummary, { search, category, effect, mode, confirmation }: ToolFilter): boolean {
  const text = `${tool.toolId} ${tool.title} ${tool.summary}`.toLowerCase()
  return (
    (category === '' || tool.category === category) &&
    (effect === '' || tool.effect === effect) &&
    (mode === '' || tool.allowedModes.includes(mode)) &&
    (confirmation === '' || tool.confirmation === confirmation) &&
    search
      .toLowerCase()
      .split(/\s+/)
      .every(word => text.includes(word))
  )
}
