import { useCallback, useSyncExternalStore } from 'react'

const queries = new Map<string, MediaQueryList>()

/** Returns the list of a query, the same one each time. */
function mediaOf(query: string): MediaQueryList {
  const known = queries.get(query)
  if (known !== undefined) return known
  const media = matchMedia(query)
  queries.set(query, media)
  return media
}

/** Returns true while the media query matches. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const media = mediaOf(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => mediaOf(query).matches)
}
