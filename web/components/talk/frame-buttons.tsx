'use client'
import { Camera, MonitorUp } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '@/components/ui/button'
import { FrameSharing, type SharingState, sendToApp } from '@/lib/frame-sharing'
import type { CallClient, FrameKind } from 'toolgate-react/parts'
import styles from './frame-buttons.module.css'

const LABELS = {
  webcam: {
    on: 'Camera is on',
    start: 'Turn the camera on',
    stop: 'Turn the camera off',
    refused: 'No camera allowed',
  },
  screen: {
    on: 'Screen is shared',
    start: 'Share the screen',
    stop: 'Stop sharing',
    refused: 'The screen is not shared',
  },
}
const ICONS = { webcam: Camera, screen: MonitorUp }

/** Switches camera and screen on and off. A visible sign stays while one is on. */
export function FrameButtons({ call }: { call: CallClient }) {
  return (
    <div className={styles.buttons}>
      <FrameButton kind="webcam" call={call} />
      <FrameButton kind="screen" call={call} />
    </div>
  )
}

function FrameButton({ kind, call }: { kind: FrameKind; call: CallClient }) {
  const { state, toggle } = useFrameSharing(kind, call)
  const [labels, Icon] = [LABELS[kind], ICONS[kind]]
  const isOn = state === 'on' || state === 'starting'
  return (
    <span className={styles.button} data-sharing={kind} data-state={state}>
      <IconButton label={isOn ? labels.stop : labels.start} aria-pressed={isOn} onClick={toggle}>
        <Icon size={16} aria-hidden="true" />
      </IconButton>
      <span role="status" className={styles.sign}>
        {state === 'on' && (
          <>
            <span className={styles.lamp} aria-hidden="true" />
            {labels.on}
          </>
        )}
        {state === 'refused' && labels.refused}
      </span>
    </span>
  )
}

function useFrameSharing(kind: FrameKind, call: CallClient) {
  const [state, setState] = useState<SharingState>('off')
  const [sharing] = useState(() => new FrameSharing(kind, setState, [sendToApp, call.showPicture]))
  useEffect(() => {
    const stop = () => sharing.stop()
    window.addEventListener('pagehide', stop)
    return () => {
      window.removeEventListener('pagehide', stop)
      stop()
    }
  }, [sharing])
  const toggle = () => (state === 'on' || state === 'starting' ? sharing.stop() : void sharing.start())
  return { state, toggle }
}
