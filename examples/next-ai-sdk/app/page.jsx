'use client'
import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { Confirmations } from 'toolgate/react'

export default function Page() {
  const chat = useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })
  return (
    <main>
      {chat.messages.map(message => (
        <section key={message.id}>
          {message.role}: {message.parts.map((part, index) => part.type === 'text' && <p key={index}>{part.text}</p>)}
          <Confirmations message={message} answer={chat.addToolApprovalResponse} />
        </section>
      ))}
      <form action={form => chat.sendMessage({ text: form.get('text') })}>
        <input name="text" defaultValue="When does order A-17 arrive?" />
      </form>
    </main>
  )
}
