import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { checkUrl, isPublicAddress, type FetchRules } from '@troupe/fetch'
import { toFailure } from '@troupe/schema'
import { isIP } from 'node:net'

/** A URL that receives push notifications about a task, with its secrets. */
export type PushConfig = Omit<TaskPushNotificationConfig, 'tenant' | 'taskId'>

/** Ids are segments of paths. */
const ID = /^[\w.~-]{1,200}$/u
/** A scheme of an `Authorization` header. */
const SCHEME = /^[\w!#$%&'*+.^`|~-]{1,64}$/u
/** A secret that fits into a header. */
const SECRET = /^[\u0020-\u007E\u0080-\u00FF]{0,8192}$/u

/** Returns what may be fetched at a URL. Only the given hosts, with or without a port, may be in a private network. */
export function rulesFor(
  url: string,
  hosts: readonly string[],
): Pick<FetchRules, 'allowHttp' | 'allowPrivate'> {
  const { host, hostname } = URL.parse(url) ?? { host: '', hostname: '' }
  const isAllowed = hosts.some((allowed) => [host, hostname].includes(allowed.toLowerCase()))
  return { allowHttp: isAllowed, allowPrivate: isAllowed }
}

/**
 * Checks a configuration of a client. A configuration without an id gets a new one. The address of a name is only
 * checked when a notification is sent. Throws an error of the SDK that names the field.
 */
export function readPushConfig(
  { id, url, token, authentication }: TaskPushNotificationConfig,
  { hosts, newId }: { readonly hosts: readonly string[]; newId(): string },
): PushConfig {
  if (id !== '' && !ID.test(id))
    throw new RequestMalformedError('id: use up to 200 letters, digits and the characters . _ ~ and -.')
  requireUrl(url, hosts)
  if (!SECRET.test(token)) throw new RequestMalformedError('token: not a text that fits into a header.')
  if (authentication !== undefined && !SCHEME.test(authentication.scheme))
    throw new RequestMalformedError('authentication.scheme: not the name of a scheme, such as Bearer.')
  if (authentication !== undefined && !SECRET.test(authentication.credentials))
    throw new RequestMalformedError('authentication.credentials: not a text that fits into a header.')
  return { id: id === '' ? newId() : id, url, token, authentication }
}

function requireUrl(text: string, hosts: readonly string[]): void {
  const rules = rulesFor(text, hosts)
  let url: URL
  try {
    url = checkUrl(text, rules)
  } catch (thrown) {
    throw new RequestMalformedError(`url: ${toFailure(thrown).message}`)
  }
  const host = url.hostname.replace(/^\[|\]$/gu, '')
  if (rules.allowPrivate !== true && isIP(host) !== 0 && !isPublicAddress(host))
    throw new RequestMalformedError(`url: ${host} is not a public address.`)
}

/** Returns the configuration as clients see it, without its secrets. */
export function withoutSecrets(
  { id, url, authentication }: PushConfig,
  taskId: string,
): TaskPushNotificationConfig {
  const shown = authentication === undefined ? undefined : { scheme: authentication.scheme, credentials: '' }
  return { tenant: '', id, taskId, url, token: '', authentication: shown }
}
