import { RE2JS } from 're2js'
import type { TextMatch } from '@troupe/schema/ports'
import type { TextFinder } from './find-patterns.ts'

/** Length of the longest link with a space. */
export const LONGEST_LINK = 64

/** Addresses with a scheme, and those after `](`, `]:`, `src=` and `href=`. A group holds the address. */
const ADDRESSES = RE2JS.compile(
  String.raw`(?i)(?:\b[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|\b(?:javascript|data|vbscript):|(?:\]\(|\]: ?<?|(?:src|href) ?= ?["']?)(?:[/\\]{2}|(?:javascript|data|vbscript):|[a-z][a-z0-9+.-]{1,20}:[/\\]{2}))[^\s"'<>)\]]*`,
)
const START = /^(?:\]\(|\]: ?<?|(?:src|href) ?= ?["']?)/iu
/** Schemes that lead to no host. */
const LOCAL_SCHEMES: ReadonlySet<string> = new Set(['mailto:', 'tel:'])

/** Creates a finder of links and images to other hosts than those allowed. `*.example.com` allows all hosts below. */
export function createLinkFinder(allow: readonly string[]): TextFinder {
  const allowed = allow.map((host) => host.toLowerCase())
  return (text) => {
    if (!/:|\/\/|\\\\/u.test(text)) return []
    const found: TextMatch[] = []
    const matcher = ADDRESSES.matcher(text)
    while (matcher.find()) {
      const written = text.slice(matcher.start(), matcher.end())
      const prefix = START.exec(written)?.[0].length ?? 0
      const start = matcher.start() + prefix
      if (!isAllowed(written.slice(prefix), allowed)) found.push({ start, end: matcher.end(), kind: 'link' })
    }
    return found
  }
}

function isAllowed(address: string, allowed: readonly string[]): boolean {
  const rest = address.replace(/^[a-z][a-z0-9+.-]*:[/\\]{2}|^[/\\]{2}/iu, '')
  // a scheme without a host is only mentioned
  if (rest === '') return true
  const url = URL.parse(address.replaceAll('\\', '/'), 'https://base.invalid')
  if (url === null) return false
  if (LOCAL_SCHEMES.has(url.protocol)) return true
  const host = url.hostname.toLowerCase()
  return host !== '' && allowed.some((pattern) => isHost(host, pattern))
}

function isHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}
