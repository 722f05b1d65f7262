declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** An identity provider. Only the members that tests use. */
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
