import { Users } from 'lucide-react'

interface DecidersProps {
  approvers: { roles: string[]; count: number }
  /** How many have confirmed. */
  confirmations?: number
}

/** Who confirms a call in place of the user who asks. */
export function Deciders({ approvers: { roles, count }, confirmations = 0 }: DecidersProps) {
  const who = new Intl.ListFormat('en', { type: 'disjunction' }).format(roles)
  return (
    <p data-toolgate="deciders">
      <Users size={15} aria-hidden="true" />
      <span>
        {count === 1
          ? 'Decided by another person with the role '
          : `Decided by ${count} other people, each with the role `}
        <bdi>{who}</bdi>. {confirmations} of {count} {confirmations === 1 ? 'has' : 'have'} confirmed.
      </span>
    </p>
  )
}
