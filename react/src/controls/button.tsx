import type { ComponentProps, ReactNode } from 'react'

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` once per view, for its main action; `quiet` without a frame. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'm' | 's'
  icon?: ReactNode
}

export function Button({ variant = 'secondary', size = 'm', icon, type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button type={type} data-toolgate="button" data-variant={variant} data-size={size} {...rest}>
      {icon}
      {children}
    </button>
  )
}
