import { isUtf8 } from 'node:buffer'
import { parseCard, type ParsedCard, type ReadOptions } from '@troupe/cards'
import { checkAddress, type FetchResult, type SafeFetch } from '@troupe/fetch'
import { toFailure, type Failure } from '@troupe/schema'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import type { TeamCard } from './card-pool.ts'
import { forbiddenKeys, type ForbiddenKey } from './remote-allow-list.ts'

/** Rules for fetching remote cards. */
interface RemoteRules {
  readonly allowHttp?: boolean
  readonly allowPrivate?: boolean
}

/**
 * Cards fetched from addresses. Since a team is read synchronously, missing cards are fetched afterwards and
 * the team is read again.
 */
export interface RemoteCards {
  /** Returns the card, or `undefined` and marks the address for fetching. */
  get(url: string): TeamCard | undefined
  /** Fetches the marked addresses. Returns false if there were none. */
  fetchWanted(): Promise<boolean>
}

/** Maximum number of remote cards per team, since each is a request to another server. */
const MAX_CARDS = 32
const CONTENT_TYPES = [
  'text/markdown',
  'text/x-markdown',
  'text/plain',
  'text/yaml',
  'text/x-yaml',
  'application/yaml',
  'application/x-yaml',
  'application/json',
  'application/octet-stream',
]

interface RemoteOptions extends ReadOptions {
  readonly safeFetch: SafeFetch
  readonly rules: RemoteRules
  readonly folder: string
}

/**
 * Creates an empty cache of remote cards. `folder` replaces the folder that a remote card lacks; its
 * variables are those of the working folder.
 */
export function createRemoteCards(options: RemoteOptions): RemoteCards {
  const cards = new Map<string, TeamCard>()
  const pendingUrls = new Set<string>()
  const read = async (url: string): Promise<void> => {
    cards.set(
      url,
      cards.size >= MAX_CARDS
        ? unreadableCard(url, tooMany(), options.folder)
        : await readRemote(url, options),
    )
  }
  return {
    get: (url) => {
      const card = cards.get(url)
      if (card === undefined) pendingUrls.add(url)
      return card
    },
    fetchWanted: async () => {
      const urls = [...pendingUrls]
      pendingUrls.clear()
      for (const url of urls) await read(url)
      return urls.length > 0
    },
  }
}

async function readRemote(url: string, options: RemoteOptions): Promise<TeamCard> {
  const { safeFetch, rules, folder } = options
  try {
    const fetched = await safeFetch(url, { ...rules, contentTypes: CONTENT_TYPES })
    return await toCard(fetched, { ...options, url })
  } catch (thrown) {
    const { code, message, remediation } = toFailure(thrown)
    return unreadableCard(url, { severity: 'error', code, message, fix: remediation }, folder)
  }
}

async function toCard(
  { url: path, body }: FetchResult,
  { url, rules, folder, modelWords, formats }: Omit<RemoteOptions, 'safeFetch'> & { readonly url: string },
): Promise<TeamCard> {
  if (!isUtf8(body))
    return unreadableCard(url, planError('card_unreadable', `${url} is not UTF-8 text.`), folder)
  const parsed = parseCard(Buffer.from(body).toString('utf8'), { path, modelWords, formats })
  const forbidden = parsed.definition === undefined ? [] : await problemsOf(parsed, parsed.definition, rules)
  const { definition, isDefault, problems, positionOf } = parsed
  return {
    path,
    address: path,
    folder,
    stem: stemOf(path),
    ...(definition === undefined || forbidden.length > 0 ? {} : { definition }),
    isDefault,
    problems: [...problems, ...forbidden],
    positionOf,
  }
}

async function problemsOf(
  parsed: ParsedCard,
  definition: NonNullable<ParsedCard['definition']>,
  rules: RemoteRules,
): Promise<TeamCard['problems']> {
  const keys = forbiddenKeys(definition)
  const servers = await Promise.all(
    Object.entries(definition.mcpServers).map(([name, { url }]) =>
      serverProblem(['mcpServers', name, 'url'], url, rules),
    ),
  )
  return [
    ...keys.map((key) => located(parsed, key.at, forbiddenProblem(key, definition.name))),
    ...servers.flatMap((found) => (found === undefined ? [] : [located(parsed, found.at, found.failure)])),
  ]
}

function forbiddenProblem({ at, why }: ForbiddenKey, name: string): Pick<Failure, 'code' | 'message'> {
  return {
    code: 'remote_card_forbidden',
    message: `\`${at.join('.')}\`: the card ${name} was loaded from a URL, and ${why}.`,
  }
}

/**
 * Checks the address of a server, so that a remote card cannot use this host to access addresses it must not
 * reach.
 */
async function serverProblem(
  at: readonly string[],
  url: string | undefined,
  rules: RemoteRules,
): Promise<{ readonly at: readonly string[]; readonly failure: Failure } | undefined> {
  if (url === undefined || url.includes('${')) return undefined
  try {
    await checkAddress(url, rules)
    return undefined
  } catch (thrown) {
    return { at, failure: toFailure(thrown) }
  }
}

function located(
  { path, positionOf }: ParsedCard,
  at: readonly (string | number)[],
  { code, message }: Pick<Failure, 'code' | 'message'>,
): TeamCard['problems'][number] {
  return { ...planError(code, message), ...positionOf(at), file: path }
}

function unreadableCard(url: string, problem: PlanProblem, folder: string): TeamCard {
  return {
    path: url,
    address: url,
    folder,
    stem: stemOf(url),
    isDefault: false,
    problems: [{ ...problem, file: url }],
  }
}

function tooMany(): PlanProblem {
  return planError('card_unreadable', `A team may contain at most ${MAX_CARDS} remote cards.`, {
    fix: 'Save some of them as files.',
  })
}

function stemOf(url: string): string {
  const name = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  return name.replace(/(?:\.agent)?\.[A-Za-z0-9]+$/iu, '') || url
}
