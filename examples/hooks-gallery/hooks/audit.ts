import { audit } from '@troupe/hooks'

/** Logs a line of JSON for each call, without its arguments. In a card: `{ use: troupe:audit, args: hash }`. */
export const auditCalls = audit({ args: 'hash' })
