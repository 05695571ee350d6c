'use client'
import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'

export default function Page() {
  const { messages, sendMessage, addToolApprovalResponse } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const part = (part, index) => {
    if (part.type === 'text') return <p key={index}>{part.text}</p>
    if (part.state !== 'approval-requested') return null
    const answer = approved => () => addToolApprovalResponse({ id: part.approval.id, approved })
    return (
      <p key={index}>
        {part.type.replace('tool-', '')} {JSON.stringify(part.input)} <button onClick={answer(true)}>Yes</button>
        <button onClick={answer(false)}>No</button>
      </p>
    )
  }
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <section key={id}>
          {role}: {parts.map(part)}
        </section>
      ))}
      <form action={form => sendMessage({ text: form.get('text') })}>
        <input name="text" defaultValue="When does order A-17 arrive?" />
      </form>
    </main>
  )
}
