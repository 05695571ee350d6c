// The theme: light, dark, or the system's. Stored by the browser and applied before the first paint.

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'toolgate.theme'
const CHANGED = 'toolgate:theme'

/** Inline script for the document's head: runs before the first paint and without the page's scripts. */
export const themeScript = `try{var t=localStorage.getItem('${STORAGE_KEY}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`

export function readTheme(): Theme {
  const stored = document.documentElement.dataset.theme
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, theme)
  } catch {
    // Without storage the theme lasts until the page is left.
  }
  dispatchEvent(new Event(CHANGED))
}

/** Calls `onChange` after each change, also of another tab. */
export function watchTheme(onChange: () => void): () => void {
  const syncTheme = (event: StorageEvent) => {
    if (event.key === STORAGE_KEY)
      chooseTheme(event.newValue === 'light' || event.newValue === 'dark' ? event.newValue : 'system')
  }
  addEventListener(CHANGED, onChange)
  addEventListener('storage', syncTheme)
  return () => {
    removeEventListener(CHANGED, onChange)
    removeEventListener('storage', syncTheme)
  }
}
