'use client'
import { Switch as Radix } from 'radix-ui'
import { useId } from 'react'
import styles from './switch.module.css'

interface SwitchProps {
  label: string
  checked: boolean
  onCheckedChange(checked: boolean): void
  disabled?: boolean
}

export function Switch({ label, ...rest }: SwitchProps) {
  const id = useId()
  return (
    <div className={styles.line}>
      <Radix.Root id={id} className={styles.track} {...rest}>
        <Radix.Thumb className={styles.thumb} />
      </Radix.Root>
      <label htmlFor={id}>{label}</label>
    </div>
  )
}
