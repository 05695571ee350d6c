import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './button.module.css'

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` once on a view, for what it is about; `quiet` where a frame would be too much. */
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
  /** What it does, in words: its name for those who do not see it, its hint for those who do. */
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
