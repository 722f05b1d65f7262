import { rateLimit } from '@troupe/hooks'

/** Refuses a second refund within an hour, in all runs of the run tree. In a card: `{ use: troupe:rateLimit, … }`. */
export const oneRefundPerHour = rateLimit({
  tools: ['refund'],
  calls: 1,
  per: '1h',
  scope: 'root',
  whenFull: 'refuse',
})
