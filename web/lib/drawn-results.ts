// Results that the page draws: charts, images, and times to choose from. A result of another shape is not drawn.
import { isToolUIPart, getToolName } from 'ai'
import { z } from 'zod'
import type { ChatMessage } from './chat-message'

const cell = z.union([z.string(), z.number(), z.null()])

/** `data` of `create_chart`. */
const chart = z.object({
  type: z.enum(['bar', 'line', 'area', 'pie']),
  title: z.string(),
  x: z.string(),
  series: z.array(z.string()).min(1).max(4),
  rows: z.array(z.record(z.string(), cell.optional())).min(1).max(200),
  source: z.string(),
})

/** `data` of `create_calendar_widget`. */
const slots = z.object({
  title: z.string(),
  slots: z.array(z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) })).max(20),
  time_zone: z.string(),
})

/** `data` of `image_generate`, at this server's own address. */
const image = z.object({
  url: z.string().regex(/^\/api\/images\/\w+$/),
  width: z.number().nullable(),
  height: z.number().nullable(),
  model: z.string(),
  simulated: z.boolean(),
})

export type Chart = z.infer<typeof chart>
export type SlotChoice = z.infer<typeof slots>
export type DrawnImage = z.infer<typeof image>

export type DrawnResult = { callId: string } & (
  | { kind: 'chart'; chart: Chart }
  | { kind: 'slots'; choice: SlotChoice }
  | { kind: 'image'; image: DrawnImage; prompt: string }
)

/** The results of the message's calls that the page draws, in order. */
export function drawnResults(message: ChatMessage): DrawnResult[] {
  return message.parts.flatMap((part): DrawnResult[] => {
    if (!isToolUIPart(part) || part.state !== 'output-available') return []
    const { data } = part.output as { data?: unknown }
    const callId = part.toolCallId
    switch (getToolName(part)) {
      case 'create_chart': {
        const read = chart.safeParse(data)
        return read.success ? [{ callId, kind: 'chart', chart: read.data }] : []
      }
      case 'create_calendar_widget': {
        const read = slots.safeParse(data)
        return read.success ? [{ callId, kind: 'slots', choice: read.data }] : []
      }
      case 'image_generate': {
        const read = image.safeParse(data)
        const { prompt } = (part.input ?? {}) as { prompt?: unknown }
        return read.success ? [{ callId, kind: 'image', image: read.data, prompt: String(prompt ?? '') }] : []
      }
      default:
        return []
    }
  })
}
