export { checkAddress } from './check-address.ts'
export { createSafeFetch } from './create-safe-fetch.ts'
export type { FetchResult, FetchNetwork, FetchRules, SafeFetch } from './fetch-types.ts'
export { isPublicAddress } from './public-address.ts'
