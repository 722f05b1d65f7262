export { checkAddress, checkUrl, isPublicAddress } from './resolve-host.ts'
export { createSafeFetch } from './create-safe-fetch.ts'
export type { FetchResult, FetchNetwork, FetchRules, HostAddress, SafeFetch } from './fetch-types.ts'
