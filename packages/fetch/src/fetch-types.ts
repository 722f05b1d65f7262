import type { LookupAddress } from 'node:dns'
import type { Clock } from '@troupe/schema'

/** What one fetch may do. Everything is off by default but what the address itself needs. */
export interface FetchRules {
  /** `http:` as well as `https:`. */
  readonly allowHttp?: boolean
  /** Addresses that are not of the public internet: loopback, private, link-local, cloud metadata. */
  readonly allowPrivate?: boolean
  /** The content types that are wanted, such as `text/plain`; none: any. An answer without a type has none of them. */
  readonly contentTypes?: readonly string[]
  /** Sent to the first origin only. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default 1 MiB. */
  readonly maxBytes?: number
  /** From the first lookup to the last byte, in ms. Default 10 s. */
  readonly timeout?: number
  /** Default 3. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

/** What was fetched. */
export interface Fetched {
  /** Where the last redirect led. */
  readonly url: string
  /** Without parameters, in lower case; empty: none was given. */
  readonly contentType: string
  readonly body: Buffer
}

/** What a fetch reaches the network through. */
export interface FetchNetwork {
  readonly clock: Clock
  /** Every address of a host. Default: that of the system. */
  lookup?(host: string): Promise<readonly LookupAddress[]>
  /** Certificates to trust beside those of Node, in PEM. */
  readonly ca?: readonly string[]
  /** Is told each address before a connection to it is made. */
  onConnect?(target: { readonly host: string; readonly address: string; readonly port: number }): void
}

/** Fetches the text of an address. Throws `url_refused`, `url_failed`, `url_timeout`, `url_too_large`, or the reason of `signal`. */
export type SafeFetch = (url: string, rules?: FetchRules) => Promise<Fetched>
