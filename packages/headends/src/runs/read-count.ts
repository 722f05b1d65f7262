import { troupeError } from '@troupe/schema'

/** Options for reading a number from a request. */
export interface CountOptions {
  /** Error message for an invalid number, such as `limit: this is no number`. */
  readonly what: string
  /** Upper limit. Larger numbers are lowered to it. */
  readonly most?: number
  readonly fallback: number
}

/**
 * Parses a non-negative whole number. Returns the fallback for an empty text. Throws `request_invalid` if it
 * is not a number.
 */
export function readCount(text: string | undefined, options: CountOptions): number {
  const { what, most = Number.MAX_SAFE_INTEGER, fallback } = options
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,15}$/u.test(text)) throw troupeError('request_invalid', `${what}.`)
  return Math.min(Number(text), most)
}
