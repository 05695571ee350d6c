'use client'
import { Monitor, Moon, Sun } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import { type Theme, chooseTheme, readTheme, watchTheme } from '@/lib/theme'
import styles from './theme-switch.module.css'

const CHOICES = [
  { theme: 'system', name: 'As the system', Icon: Monitor },
  { theme: 'light', name: 'Light', Icon: Sun },
  { theme: 'dark', name: 'Dark', Icon: Moon },
] as const

export function ThemeSwitch() {
  const theme = useSyncExternalStore<Theme | ''>(watchTheme, readTheme, () => '')
  return (
    <ToggleGroup.Root
      type="single"
      value={theme}
      onValueChange={chosen => chosen && chooseTheme(chosen as Theme)}
      aria-label="Colour theme"
      className={styles.group}
    >
      {CHOICES.map(({ theme: value, name, Icon }) => (
        <ToggleGroup.Item key={value} value={value} aria-label={name} title={name} className={styles.choice}>
          <Icon size={15} aria-hidden="true" />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
