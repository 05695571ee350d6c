'use client'
import dynamic from 'next/dynamic'
import { SlotPicker } from 'toolgate-react/parts'
import type { DrawnResult } from '@/lib/drawn-results'
import { ResultImage } from './result-image'

// Loaded with the first chart: the library is larger than the rest of the page.
const ResultChart = dynamic(() => import('./result-chart'), { ssr: false })

interface DrawnResultViewProps {
  result: DrawnResult
  /** Sends a message; absent while none can be sent. */
  onSend?(text: string): void
}

export function DrawnResultView({ result, onSend }: DrawnResultViewProps) {
  switch (result.kind) {
    case 'chart':
      return <ResultChart chart={result.chart} />
    case 'slots':
      return <SlotPicker choice={result.choice} onPick={onSend} />
    case 'image':
      return <ResultImage image={result.image} prompt={result.prompt} />
  }
}
