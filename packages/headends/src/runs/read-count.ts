import { troupeError } from '@troupe/schema'

/** What a number in a request is, and what it may be. */
export interface CountWish {
  /** What is said where it is none: `limit: this is no number`. */
  readonly what: string
  /** Larger ones are this one. */
  readonly most?: number
  readonly fallback: number
}

/** A whole number from 0. Throws `request_invalid` where it is none. */
export function readCount(text: string | undefined, wish: CountWish): number {
  const { what, most = Number.MAX_SAFE_INTEGER, fallback } = wish
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,15}$/u.test(text)) throw troupeError('request_invalid', `${what}.`)
  return Math.min(Number(text), most)
}
