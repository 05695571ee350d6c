'use client'
import { Confirmations, useToolgateChat } from 'toolgate-react'
import 'toolgate-react/styles.css'

export default function Page() {
  const chat = useToolgateChat({ api: '/api/agent', id: 'main' })
  return (
    <main>
      {chat.messages.map(message => (
        <section key={message.id}>
          {message.role}: {message.parts.map((part, at) => part.type === 'text' && <p key={at}>{part.text}</p>)}
        </section>
      ))}
      <Confirmations of={chat} />
      {chat.failure && <p role="alert">{chat.failure.message}</p>}
      <form action={form => chat.sendMessage({ text: form.get('text') })}>
        <input name="text" aria-label="Message" defaultValue="When does order A-17 arrive?" />
      </form>
    </main>
  )
}
