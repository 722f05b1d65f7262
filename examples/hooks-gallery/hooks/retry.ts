import { retry } from '@troupe/hooks'

/** Calls tools that only read up to three times. In a card: `{ use: troupe:retry, delay: 10ms }`. */
export const retryReads = retry({ attempts: 3, delay: '10ms', effects: ['read'] })
