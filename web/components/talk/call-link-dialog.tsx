'use client'
import { Copy } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { useToast } from '@/components/ui/toast'
import { isLoopbackHost } from '@/lib/local-host'
import { type VoiceKey, forgetVoiceKey, storeVoiceKey, parseVoiceLink, voiceLink } from 'toolgate-react/parts'
import styles from './call-link-dialog.module.css'

/** Why the link of a page of this machine opens nowhere else. */
const ONLY_HERE =
  'This page is served to this machine only, so the link opens in its browsers and on no other device. Open the page under an address that your phone reaches, and its link opens there.'

interface CallLinkDialogProps {
  open: boolean
  onOpenChange(open: boolean): void
  /** The voice call whose questions this browser answers. */
  voice: VoiceKey | null
  /** Whether the call runs in this window: its key must not be forgotten then. */
  isOn: boolean
}

/** Shares a call's questions with another device, or takes over those of a call. */
export function CallLinkDialog({ open, onOpenChange, voice, isOn }: CallLinkDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Answer questions of a voice call"
      description="What a call asks can be answered on any page that has its link: on a phone, or beside a call that runs elsewhere."
    >
      {voice ? <OwnLink voice={voice} isOn={isOn} /> : <TakeLink onTaken={() => onOpenChange(false)} />}
    </Dialog>
  )
}

function OwnLink({ voice, isOn }: { voice: VoiceKey; isOn: boolean }) {
  const tell = useToast()
  const link = voiceLink(voice)
  const isOnlyHere = isLoopbackHost(location.hostname)

  async function copy() {
    try {
      await navigator.clipboard.writeText(link)
      tell('The link is copied.', 'ok')
    } catch {
      tell('This browser does not let pages copy: select the link and copy it.', 'ask')
    }
  }

  return (
    <div className={styles.form}>
      <Field label="Link of your call" hint={isOnlyHere ? ONLY_HERE : 'Whoever has it is you: give it to nobody else.'}>
        {control => (
          <Input {...control} readOnly value={link} onFocus={event => event.target.select()} className={styles.link} />
        )}
      </Field>
      <div className={styles.actions}>
        {!isOn && <Button onClick={forgetVoiceKey}>Forget this call</Button>}
        <Button variant="primary" icon={<Copy size={15} aria-hidden="true" />} onClick={copy}>
          Copy the link
        </Button>
      </div>
    </div>
  )
}

function TakeLink({ onTaken }: { onTaken(): void }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)

  function take(event: FormEvent) {
    event.preventDefault()
    const key = parseVoiceLink(text)
    if (!key) return setError('This is no link of a call: it ends in #voice= and a long name.')
    storeVoiceKey(key)
    onTaken()
  }

  return (
    <form className={styles.form} onSubmit={take}>
      <Field label="Link of the call" hint="The device with the call has it: “Answer on another device”." error={error}>
        {control => (
          <Input
            {...control}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={event => setText(event.target.value)}
            className={styles.link}
          />
        )}
      </Field>
      <div className={styles.actions}>
        <Button variant="primary" type="submit" disabled={text.trim() === ''}>
          Show its questions
        </Button>
      </div>
    </form>
  )
}
