import { useSyncExternalStore } from 'react'
import { useMedia } from './use-media.ts'

/** Returns true while the page is dark: as chosen by the person, or else by the system. */
export function useIsDark(): boolean {
  const isSystemDark = useMedia('(prefers-color-scheme: dark)')
  const chosen = useSyncExternalStore(subscribe, () => document.documentElement.dataset['theme'])
  return chosen === undefined ? isSystemDark : chosen === 'dark'
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
