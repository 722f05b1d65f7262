import { lookup as lookupHost } from 'node:dns/promises'
import { checkUrl } from './check-url.ts'
import type { FetchNetwork, FetchRules } from './fetch-types.ts'
import { resolveHost } from './resolve-host.ts'

/** Looks at an address as a fetch would, without fetching it. Throws `url_refused` or `url_failed`. It holds for this moment: a name may lead elsewhere later. */
export async function checkAddress(
  text: string,
  rules: Pick<FetchRules, 'allowHttp' | 'allowPrivate'>,
  { lookup = (host) => lookupHost(host, { all: true }) }: Pick<FetchNetwork, 'lookup'> = {},
): Promise<void> {
  await resolveHost(checkUrl(text, rules), rules, lookup)
}
