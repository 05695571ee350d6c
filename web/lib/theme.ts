// Light, dark, or what the system says: kept by the browser, and put on the page before it is painted.

export type Theme = 'system' | 'light' | 'dark'

const PLACE = 'toolgate.theme'
const CHANGED = 'toolgate:theme'

/** Runs in the document's head, as text: before anything is painted, and without the page's scripts. */
export const themeScript = `try{var t=localStorage.getItem('${PLACE}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`

export function readTheme(): Theme {
  const kept = document.documentElement.dataset.theme
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(PLACE)
    else localStorage.setItem(PLACE, theme)
  } catch {
    // A browser that keeps nothing: the theme holds until the page is left.
  }
  dispatchEvent(new Event(CHANGED))
}

/** Calls `tell` after each change, one made in another tab too. */
export function watchTheme(tell: () => void): () => void {
  const follow = (event: StorageEvent) => {
    if (event.key === PLACE)
      chooseTheme(event.newValue === 'light' || event.newValue === 'dark' ? event.newValue : 'system')
  }
  addEventListener(CHANGED, tell)
  addEventListener('storage', follow)
  return () => {
    removeEventListener(CHANGED, tell)
    removeEventListener('storage', follow)
  }
}
