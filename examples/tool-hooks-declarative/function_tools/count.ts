import { z } from 'zod'

/** Returns the number of words in a text. */
export function words({ text }: { readonly text: string }): number {
  return text.split(/\s+/u).filter((word) => word !== '').length
}
words.description = 'How many words a text has.'
words.effect = 'read'
words.input = z.object({ text: z.string() })

/** Counts the primes up to a number. This blocks, so the card runs it in a worker thread. */
export function primes({ upTo }: { readonly upTo: number }): {
  readonly upTo: number
  readonly primes: number
} {
  const isComposite = new Uint8Array(upTo + 1)
  let count = 0
  for (let candidate = 2; candidate <= upTo; candidate += 1) {
    if (isComposite[candidate] === 1) continue
    count += 1
    for (let multiple = candidate * candidate; multiple <= upTo; multiple += candidate)
      isComposite[multiple] = 1
  }
  return { upTo, primes: count }
}
primes.description = 'How many primes there are up to a number.'
primes.effect = 'read'
primes.input = z.object({ upTo: z.int().min(2).max(50_000_000) })
