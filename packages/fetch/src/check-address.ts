import { lookup as lookupHost } from 'node:dns/promises'
import { checkUrl } from './check-url.ts'
import type { FetchNetwork, FetchRules } from './fetch-types.ts'
import { resolveHost } from './resolve-host.ts'

/**
 * Checks and resolves a URL without fetching it. DNS may change afterwards, so a fetch checks again.
 * Throws `url_refused` or `url_failed`.
 */
export async function checkAddress(
  text: string,
  rules: Pick<FetchRules, 'allowHttp' | 'allowPrivate'>,
  { lookup = (host) => lookupHost(host, { all: true }) }: Pick<FetchNetwork, 'lookup'> = {},
): Promise<void> {
  await resolveHost(checkUrl(text, rules), rules, lookup)
}
