'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { BrandMark } from './brand-mark'
import styles from './site-header.module.css'
import { ThemeSwitch } from './theme-switch'

export function SiteHeader({ hasInspector }: { hasInspector: boolean }) {
  const path = usePathname()
  const places = [{ href: '/', name: 'Talk', here: path === '/' }]
  if (hasInspector) places.push({ href: '/inspector', name: 'Inspector', here: path.startsWith('/inspector') })
  return (
    <header className={styles.header}>
      <Link href="/" className={styles.brand}>
        <BrandMark />
        <span>Toolgate</span>
      </Link>
      <nav aria-label="Main" className={styles.nav}>
        {places.map(({ href, name, here }) => (
          <Link key={href} href={href} aria-current={here ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <ThemeSwitch />
    </header>
  )
}
