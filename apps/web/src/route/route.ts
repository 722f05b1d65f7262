import { useMemo, useSyncExternalStore } from 'react'

/** A page and its parameters: the part of the URL after `#`. */
export type PageRoute =
  | { readonly page: 'chat'; readonly agent?: string; readonly sessionId?: string }
  | { readonly page: 'runs'; readonly filter?: RunListFilter }
  | { readonly page: 'run'; readonly runId: string }
  | { readonly page: 'compare'; readonly left: string; readonly right: string }
  | { readonly page: 'evals' }
  | { readonly page: 'eval'; readonly id: string; readonly base?: string }
  | { readonly page: 'eval-run'; readonly id: string; readonly runId: string }
  | { readonly page: 'approvals' }
  /** The page of a link, whose holder decides without signing in. */
  | { readonly page: 'decide'; readonly token: string }
  | { readonly page: 'agents' }
  | { readonly page: 'agent'; readonly agent: string }
  | { readonly page: 'card'; readonly agent: string }
  | { readonly page: 'tools'; readonly agent?: string }
  | { readonly page: 'tool'; readonly agent: string; readonly tool?: string }
  | { readonly page: 'trial'; readonly agent: string; readonly tool: string; readonly runId: string }
  | { readonly page: 'unknown' }

/** The filter of the list of runs. */
export interface RunListFilter {
  /** Text in the input, the agent or the id. */
  readonly text: string
  /** Empty for all. */
  readonly agent: string
  readonly state: '' | 'open' | 'answered' | 'failed'
}

/** The filter that matches all runs. */
export const NO_FILTER: RunListFilter = { text: '', agent: '', state: '' }

/**
 * Parses a hash such as `#/runs/run_1`. An unknown one becomes a route of its own, so that the page can say
 * so.
 */
export function parseRoute(hash: string): PageRoute {
  const list = /^#?\/?runs\?(?<query>.*)$/u.exec(hash)?.groups?.['query']
  if (list !== undefined) return { page: 'runs', filter: parseFilter(list) }
  const [page = '', first, second, third, ...rest] = hash.replace(/^#\/?/u, '').split('/').map(decode)
  if (rest.length > 0) return { page: 'unknown' }
  switch (page) {
    case '':
    case 'chat':
      return {
        page: 'chat',
        ...(first === undefined ? {} : { agent: first }),
        ...(second === undefined ? {} : { sessionId: second }),
      }
    case 'runs':
      return first === undefined ? { page: 'runs' } : { page: 'run', runId: first }
    case 'compare':
      return first === undefined || second === undefined
        ? { page: 'unknown' }
        : { page: 'compare', left: first, right: second }
    case 'evals':
      return parseEvals(first, second, third)
    case 'approvals':
      return { page: 'approvals' }
    case 'decide':
      return first === undefined ? { page: 'unknown' } : { page: 'decide', token: first }
    case 'agents':
      if (first === undefined) return { page: 'agents' }
      return { page: second === 'edit' ? 'card' : 'agent', agent: first }
    case 'tools':
      return parseTools(first, second)
    case 'trials':
      return first === undefined || second === undefined || third === undefined
        ? { page: 'unknown' }
        : { page: 'trial', agent: first, tool: second, runId: third }
    default:
      return { page: 'unknown' }
  }
}

/** Returns the link to a route. */
export function hrefOf(route: PageRoute): string {
  const query = route.page === 'runs' && route.filter !== undefined ? filterQuery(route.filter) : ''
  return `#/${partsOf(route).map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`
}

function parseFilter(query: string): RunListFilter {
  const params = new URLSearchParams(query)
  const state = params.get('state')
  return {
    text: params.get('q') ?? '',
    agent: params.get('agent') ?? '',
    state: state === 'open' || state === 'answered' || state === 'failed' ? state : '',
  }
}

function filterQuery({ text, agent, state }: RunListFilter): string {
  const entries = Object.entries({ q: text, agent, state }).filter(([, value]) => value !== '')
  return new URLSearchParams(entries).toString()
}

/** A new tool has no name yet. Its URL ends with `+`, which is no valid tool name. */
const NEW_TOOL = '+'

function parseTools(agent: string | undefined, tool: string | undefined): PageRoute {
  if (agent === undefined) return { page: 'tools' }
  if (tool === undefined) return { page: 'tools', agent }
  return tool === NEW_TOOL ? { page: 'tool', agent } : { page: 'tool', agent, tool }
}

function parseEvals(
  id: string | undefined,
  second: string | undefined,
  third: string | undefined,
): PageRoute {
  if (id === undefined) return { page: 'evals' }
  if (third !== undefined)
    return second === 'runs' ? { page: 'eval-run', id, runId: third } : { page: 'unknown' }
  return { page: 'eval', id, ...(second === undefined ? {} : { base: second }) }
}

function partsOf(route: PageRoute): readonly string[] {
  switch (route.page) {
    case 'chat':
      return ['chat', route.agent, route.sessionId].filter((part) => part !== undefined)
    case 'run':
      return ['runs', route.runId]
    case 'compare':
      return ['compare', route.left, route.right]
    case 'decide':
      return ['decide', route.token]
    case 'eval':
      return ['evals', route.id, route.base].filter((part) => part !== undefined)
    case 'eval-run':
      return ['evals', route.id, 'runs', route.runId]
    case 'agent':
      return ['agents', route.agent]
    case 'card':
      return ['agents', route.agent, 'edit']
    case 'tools':
      return ['tools', route.agent].filter((part) => part !== undefined)
    case 'tool':
      return ['tools', route.agent, route.tool ?? NEW_TOOL]
    case 'trial':
      return ['trials', route.agent, route.tool, route.runId]
    case 'unknown':
      return []
    default:
      return [route.page]
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Not written by this page: use it unchanged.
    return part
  }
}

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
