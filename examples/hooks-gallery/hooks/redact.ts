import { redact } from '@troupe/hooks'

/** Hides email addresses and customer numbers in results. In a card: `{ use: troupe:redact, … }`. */
export const hideCustomers = redact({ kinds: ['emails'], patterns: [String.raw`C-\d+`] })
