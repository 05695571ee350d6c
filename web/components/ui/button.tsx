import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './button.module.css'

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` once per view, for its main action; `quiet` without a frame. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'm' | 's'
  icon?: ReactNode
}

export function Button({
  variant = 'secondary',
  size = 'm',
  icon,
  className,
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type={type} className={classNames(styles.button, styles[variant], styles[size], className)} {...rest}>
      {icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'children'> {
  /** The accessible name, also shown as a tooltip. */
  label: string
  children: ReactNode
}

export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <Button
      variant="quiet"
      aria-label={label}
      title={label}
      className={classNames(styles.iconOnly, className)}
      {...rest}
    >
      {children}
    </Button>
  )
}
