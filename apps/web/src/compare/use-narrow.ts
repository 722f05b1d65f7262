import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 639px)'

/** Returns true on a screen that is too narrow for two columns. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches)
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
