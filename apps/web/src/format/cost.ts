import type { Usage } from '@troupe/schema'
import { formatCost, formatTokens } from '@troupe/timeline'

/** Formats a cost, such as `$0.0012`; `≥` marks a lower bound if some calls have no known price. */
export function costText({ micros, unpriced }: Usage): string {
  const known = formatCost(micros / 1_000_000)
  if (unpriced === 0) return known
  return micros === 0 ? '–' : `≥ ${known}`
}

/** Formats input and output tokens, such as `1.2k → 340`. */
export function tokensText({ input, output }: Pick<Usage, 'input' | 'output'>): string {
  return `${formatTokens(input)} → ${formatTokens(output)}`
}
