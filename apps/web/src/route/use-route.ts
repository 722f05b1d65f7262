import { useMemo, useSyncExternalStore } from 'react'
import { hrefOf, parseRoute, type PageRoute } from './route.ts'

/** Returns the current route. Follows links, the buttons of the browser, and {@link goTo}. */
export function useRoute(): PageRoute {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => parseRoute(hash), [hash])
}

/** Goes to a route. With `replace`, the current one is removed from the history. */
export function goTo(route: PageRoute, { replace = false }: { readonly replace?: boolean } = {}): void {
  const href = hrefOf(route)
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}
