import type { Clock } from '@troupe/schema'

/** Options of a single fetch. Optional permissions are off by default. */
export interface FetchRules {
  /** Allows `http:` URLs too. */
  readonly allowHttp?: boolean
  /** Allows addresses outside the public internet: loopback, private, link-local, cloud metadata. */
  readonly allowPrivate?: boolean
  /** Accepted content types, such as `text/plain`. Default: any. Excludes a response without a type. */
  readonly contentTypes?: readonly string[]
  /** Request headers. Sent to the first origin only, not to other origins after a redirect. */
  readonly headers?: Readonly<Record<string, string>>
  /** Body of a POST request. Without it, the request is a GET. */
  readonly body?: string | Uint8Array
  /** Accepts every status from 200 to 299, for receivers whose body does not matter. Default: only 200. */
  readonly anySuccess?: boolean
  /** Accepts every status, for callers that read `status` of the result. */
  readonly anyStatus?: boolean
  /** Refuses redirects to another host. */
  readonly sameHost?: boolean
  /** Maximum size of the body in bytes. Default 1 MiB. */
  readonly maxBytes?: number
  /** Maximum time in ms, from DNS lookup to the last byte. Default 10 s. */
  readonly timeout?: number
  /** Maximum number of redirects. Default 3, with a `body` 0. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

/** A successful response. */
export interface FetchResult {
  /** URL after redirects. */
  readonly url: string
  /** Lower-case media type without parameters. Empty if the response has none. */
  readonly contentType: string
  /** Character set that the response names, such as `utf-8`. */
  readonly charset?: string
  readonly body: Uint8Array
  /** Status of the response. Only set with `anyStatus`. */
  readonly status?: number
}

/** An IP address of a host. */
export interface HostAddress {
  readonly address: string
  /** IP version: 4 or 6. */
  readonly family: number
}

/** Network dependencies of a fetch. */
export interface FetchNetwork {
  readonly clock: Clock
  /** Resolves all IP addresses of a host. Default: the system resolver. */
  lookup?(host: string): Promise<readonly HostAddress[]>
  /** Additional CA certificates in PEM format. */
  readonly ca?: readonly string[]
  /** Called with each IP address before a connection is made. */
  onConnect?(target: { readonly host: string; readonly address: string; readonly port: number }): void
}

/** Fetches a URL. Throws `url_refused`, `url_failed`, `url_timeout`, `url_too_large`, or `signal.reason`. */
export type SafeFetch = (url: string, rules?: FetchRules) => Promise<FetchResult>
