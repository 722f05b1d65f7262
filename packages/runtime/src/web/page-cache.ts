import type { Clock } from '@troupe/schema'

/** A fetched page as text. */
export interface WebPage {
  /** Address after redirects. */
  readonly url: string
  readonly contentType: string
  readonly title: string
  readonly text: string
}

/** The last fetched pages, so that reading on does not fetch a page again. */
export interface PageCache {
  get(key: string): WebPage | undefined
  set(key: string, page: WebPage): void
}

const MAX_PAGES = 20
const MAX_AGE = 300_000

/** Creates an empty cache of 20 pages, which are dropped after 5 minutes. */
export function createPageCache(clock: Clock): PageCache {
  const pages = new Map<string, { readonly page: WebPage; readonly until: number }>()
  return {
    get: (key) => {
      const known = pages.get(key)
      return known === undefined || known.until < clock.monotonic() ? undefined : known.page
    },
    set: (key, page) => {
      pages.delete(key)
      pages.set(key, { page, until: clock.monotonic() + MAX_AGE })
      const [oldest] = pages.keys()
      if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest)
    },
  }
}
