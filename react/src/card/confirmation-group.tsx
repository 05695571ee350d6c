'use client'
import { Check, X } from 'lucide-react'
import { type ReactNode, type RefObject, createContext, useContext, useEffect, useRef, useState } from 'react'
import { Button } from '../controls/button.js'
import type { Decision } from './decision-buttons.js'
import { READING_MS, useDeliberate } from './use-deliberate.js'

/** A card of the group that its user can answer. */
interface Member {
  /** Whether the whole preview has been in view. */
  isSeen: boolean
  decide(decision: Decision): void
}

interface Group {
  report(key: string, member: Member | null): void
}

const GroupContext = createContext<Group | null>(null)

/** The cards of a turn: answered one by one, or, once each of them was seen, together. */
export function ConfirmationGroup({ className, children }: { className?: string; children: ReactNode }) {
  const [members, setMembers] = useState<Record<string, Member>>({})
  const [group] = useState<Group>(() => ({
    report: (key, member) =>
      setMembers(({ [key]: _, ...others }) => (member === null ? others : { ...others, [key]: member })),
  }))
  const open = Object.values(members)
  const count = open.length
  return (
    <GroupContext.Provider value={group}>
      <div
        data-toolgate="group"
        className={className}
        role={count > 1 ? 'group' : undefined}
        aria-label={count > 1 ? `${count} questions` : undefined}
      >
        {count > 1 && <p data-toolgate="group-head">{count} calls need your consent. Each is answered on its own.</p>}
        {children}
        {count > 1 && <Together members={open} />}
      </div>
    </GroupContext.Provider>
  )
}

/** The answers for all cards at once. Each card sends its own. */
function Together({ members }: { members: Member[] }) {
  const isDeliberate = useDeliberate()
  const areSeen = members.every(({ isSeen }) => isSeen)
  const decide = (decision: Decision) => {
    if (isDeliberate && (areSeen || decision === 'deny')) for (const member of members) member.decide(decision)
  }
  return (
    <div data-toolgate="actions">
      <Button
        icon={<Check size={15} aria-hidden="true" />}
        aria-disabled={!isDeliberate || !areSeen}
        onClick={() => decide('approve')}
      >
        Approve all {members.length}
      </Button>
      <Button icon={<X size={15} aria-hidden="true" />} aria-disabled={!isDeliberate} onClick={() => decide('deny')}>
        Deny all
      </Button>
      {!areSeen && <span data-toolgate="hint">Look at each of them first.</span>}
    </div>
  )
}

interface Membership {
  token: string
  /** Whether its user can answer the card now. */
  isOpen: boolean
  /** The element with the preview. */
  preview: RefObject<HTMLElement | null>
  decide(decision: Decision): void
}

/** Makes a card a member of the group around it, as long as it is open. */
export function useGroupMember({ token, isOpen, preview, decide }: Membership): void {
  const group = useContext(GroupContext)
  const latest = useRef(decide)
  useEffect(() => void (latest.current = decide))
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !isOpen || preview.current === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    // A preview that a scroll passes was not read.
    const inView = new IntersectionObserver(
      entries => {
        clearTimeout(timer)
        if (entries.at(-1)?.isIntersecting) timer = setTimeout(() => setIsSeen(true), READING_MS)
      },
      { threshold: 0.9 },
    )
    inView.observe(preview.current)
    return () => {
      clearTimeout(timer)
      inView.disconnect()
    }
  }, [isSeen, isOpen])
  useEffect(() => {
    if (group === null || !isOpen) return
    group.report(token, { isSeen, decide: decision => latest.current(decision) })
    return () => group.report(token, null)
  }, [group, token, isOpen, isSeen])
}
