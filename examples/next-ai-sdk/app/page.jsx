'use client'
import { useChat } from '@ai-sdk/react'
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'

export default function Page() {
  const chat = useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })
  return (
    <main>
      {chat.messages.map(message => (
        <section key={message.id}>
          {message.role}: {message.parts.map((part, index) => part.type === 'text' && <p key={index}>{part.text}</p>)}
          {message.parts.map(part => {
            if (!isToolUIPart(part) || part.state !== 'approval-requested') return null
            const { id } = part.approval
            return (
              <p key={id} role="group" aria-label="Confirmation">
                {message.metadata?.confirmations?.[id]}{' '}
                <button onClick={() => chat.addToolApprovalResponse({ id, approved: true })}>Approve</button>{' '}
                <button onClick={() => chat.addToolApprovalResponse({ id, approved: false })}>Deny</button>
              </p>
            )
          })}
        </section>
      ))}
      <form action={form => chat.sendMessage({ text: form.get('text') })}>
        <input name="text" defaultValue="When does order A-17 arrive?" />
      </form>
    </main>
  )
}
