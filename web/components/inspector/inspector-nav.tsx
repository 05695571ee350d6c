'use client'
import { ChartNoAxesColumn, MessagesSquare, Play, ScrollText, Wrench } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import styles from './inspector.module.css'

const PLACES = [
  { href: '/inspector', name: 'Tools', Icon: Wrench },
  { href: '/inspector/try', name: 'Try it', Icon: Play },
  { href: '/inspector/sessions', name: 'Sessions', Icon: MessagesSquare },
  { href: '/inspector/audit', name: 'Audit', Icon: ScrollText },
  { href: '/inspector/metrics', name: 'Metrics', Icon: ChartNoAxesColumn },
]

export function InspectorNav() {
  const path = usePathname()
  // A tool's own page belongs to the tools section.
  const here = PLACES.findLast(({ href }) => path.startsWith(href))?.href
  return (
    <nav aria-label="Inspector" className={styles.nav}>
      {PLACES.map(({ href, name, Icon }) => (
        <Link key={href} href={href} aria-current={href === here ? 'page' : undefined}>
          <Icon size={15} aria-hidden="true" />
          {name}
        </Link>
      ))}
    </nav>
  )
}
