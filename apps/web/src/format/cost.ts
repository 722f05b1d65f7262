import type { Usage } from '@troupe/schema'
import { formatCost, formatTokens } from '@troupe/timeline'

/** What was paid: `$0.0012`; where some calls have no known price, at least that. */
export function costText({ micros, unpriced }: Usage): string {
  const known = formatCost(micros / 1_000_000)
  if (unpriced === 0) return known
  return micros === 0 ? '–' : `≥ ${known}`
}

/** Tokens read and written: `1.2k ↓ 340`. */
export function tokensText({ input, output }: Pick<Usage, 'input' | 'output'>): string {
  return `${formatTokens(input)} → ${formatTokens(output)}`
}
