'use client'
import { Tabs as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './tabs.module.css'

export const Tabs = Radix.Root

export function TabList({ className, ...rest }: ComponentProps<typeof Radix.List>) {
  return <Radix.List className={classNames(styles.list, className)} {...rest} />
}

export function Tab({ className, ...rest }: ComponentProps<typeof Radix.Trigger>) {
  return <Radix.Trigger className={classNames(styles.tab, className)} {...rest} />
}

export function TabPanel({ className, ...rest }: ComponentProps<typeof Radix.Content>) {
  return <Radix.Content className={classNames(styles.panel, className)} {...rest} />
}
