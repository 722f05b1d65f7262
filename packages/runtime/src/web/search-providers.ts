import { isJsonObject, type Json } from '@troupe/schema'
import type { FetchRules } from '@troupe/fetch'

/** Names of the supported search providers. */
export const SEARCH_PROVIDER_NAMES = ['brave', 'tavily', 'searxng'] as const

/** The search provider of `web.search`, from the configuration. */
export interface SearchConfig {
  readonly provider: (typeof SEARCH_PROVIDER_NAMES)[number]
  /** Required by Brave and Tavily. */
  readonly apiKey?: string
  /** Address of the API. Required by SearXNG. */
  readonly baseURL?: string
}

/** A found page. */
export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly text: string
}

interface SearchProvider {
  readonly baseURL: string
  /** Returns the request for a search, relative to the base URL. */
  request(
    search: { readonly query: string; readonly count: number },
    apiKey: string,
  ): { readonly path: string } & Pick<FetchRules, 'headers' | 'body'>
  /** Reads the results of a response. */
  read(response: unknown): readonly SearchHit[]
  /** Advice for a failed request. */
  readonly fix: string
}

/** Requests and responses of the search providers. */
export const SEARCH_PROVIDERS: Readonly<Record<SearchConfig['provider'], SearchProvider>> = {
  brave: {
    baseURL: 'https://api.search.brave.com',
    request: ({ query, count }, apiKey) => ({
      path: `/res/v1/web/search?${queryOf({ q: query, count: String(count) })}`,
      headers: { accept: 'application/json', 'x-subscription-token': apiKey },
    }),
    read: (response) => hits(member(member(response, 'web'), 'results'), 'description'),
    fix: 'Check `runtime.search.apiKey` in troupe.json.',
  },
  tavily: {
    baseURL: 'https://api.tavily.com',
    request: ({ query, count }, apiKey) => ({
      path: '/search',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, max_results: count }),
    }),
    read: (response) => hits(member(response, 'results'), 'content'),
    fix: 'Check `runtime.search.apiKey` in troupe.json.',
  },
  searxng: {
    baseURL: '',
    request: ({ query }) => ({
      path: `/search?${queryOf({ q: query, format: 'json' })}`,
      headers: { accept: 'application/json' },
    }),
    read: (response) => hits(member(response, 'results'), 'content'),
    fix: 'Check `runtime.search.baseURL` in troupe.json, and that `search.formats` of the SearXNG settings contains `json`.',
  },
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString()
}

function member(value: unknown, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined
}

/** Reads a list of results. Entries without an address are left out. */
function hits(results: Json | undefined, textKey: string): readonly SearchHit[] {
  if (!Array.isArray(results)) return []
  return (results as readonly Json[]).flatMap((result) => {
    const url = textOf(result, 'url')
    const isAddress = URL.parse(url)?.protocol.startsWith('http') === true
    return isAddress ? [{ title: textOf(result, 'title'), url, text: textOf(result, textKey) }] : []
  })
}

function textOf(value: Json, key: string): string {
  const text = member(value, key)
  return typeof text === 'string' ? text : ''
}
