import { troupeError } from '@troupe/schema'
import type { FetchRules } from './fetch-types.ts'

const MAX_LENGTH = 2048

/**
 * Parses a URL and checks that it may be fetched. Normalizes IPv4 hosts written in decimal, octal or
 * hexadecimal. Throws `url_refused`.
 */
export function checkUrl(text: string, rules: Pick<FetchRules, 'allowHttp'>, base?: URL): URL {
  if (text.length > MAX_LENGTH) throw refusedUrlError(`An address of ${text.length} characters is too long.`)
  const url = URL.parse(text, base?.href)
  if (url === null) throw refusedUrlError(`"${shown(text)}" is not an address.`)
  if (url.username !== '' || url.password !== '')
    throw refusedUrlError(`${url.host}: an address may not carry a user or a password.`)
  if (url.protocol === 'http:' && rules.allowHttp !== true)
    throw refusedUrlError(`${url.href}: only https is allowed.`, 'Use https, or allow http: `--allow-http`.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refusedUrlError(`${shown(text)}: only https is allowed.`)
  if (base?.protocol === 'https:' && url.protocol === 'http:')
    throw refusedUrlError(`${base.href} redirects from https to http.`)
  return url
}

/** Creates the `url_refused` error. */
export function refusedUrlError(message: string, fix?: string): Error {
  return troupeError('url_refused', message, fix === undefined ? {} : { fix })
}

function shown(text: string): string {
  return text.slice(0, 100)
}
