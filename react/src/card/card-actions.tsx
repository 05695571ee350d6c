import { Pencil, Undo2 } from 'lucide-react'
import { Button } from '../controls/button.js'
import { type Decision, DecisionButtons } from './decision-buttons.js'
import type { NewGrant } from 'toolgate'
import type { Question } from './card-status.js'
import { GrantChoice } from './grant-choice.js'
import type { ArgumentEdit } from './use-argument-edit.js'

interface CardActionsProps {
  question: Question
  edit: ArgumentEdit
  isEditing: boolean
  /** Whether it is a question that is answered by its form. */
  isAnswer: boolean
  isSending: boolean
  scope: NewGrant['scope'] | null
  onScope(scope: NewGrant['scope'] | null): void
  onEdit(): void
  onDecide(decision: Decision): void
}

/** What the user can do with an open question. One that others decide about they can only withdraw. */
export function CardActions({
  question,
  edit,
  isEditing,
  isAnswer,
  isSending,
  onEdit,
  onDecide,
  ...choice
}: CardActionsProps) {
  const { approvers, grantable } = question
  const isChanged = isEditing && edit.isChanged
  return (
    <>
      {grantable && !approvers && <GrantChoice grantable={grantable} disabled={isSending} {...choice} />}
      <DecisionButtons
        label={approvers ? null : isAnswer ? 'Answer' : isChanged ? 'Approve changes' : 'Approve'}
        denial={approvers ? 'Withdraw' : isAnswer ? 'Decline' : 'Deny'}
        disabled={isSending}
        onDecide={onDecide}
      >
        {edit.isPossible && !approvers && !isAnswer && (
          <EditButton isEditing={isEditing} disabled={isSending} onClick={onEdit} />
        )}
      </DecisionButtons>
    </>
  )
}

interface EditButtonProps {
  isEditing: boolean
  disabled: boolean
  onClick(): void
}

function EditButton({ isEditing, ...rest }: EditButtonProps) {
  const Icon = isEditing ? Undo2 : Pencil
  return (
    <Button variant="quiet" icon={<Icon size={15} aria-hidden="true" />} {...rest}>
      {isEditing ? 'Discard changes' : 'Edit'}
    </Button>
  )
}
