import { Notice } from '@/components/ui/notice'

/** What a reader should know of the files that were read. */
export function RunNotes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null
  return (
    <Notice tone="ask">
      {notes.map(note => (
        <span key={note}>{note} </span>
      ))}
    </Notice>
  )
}
