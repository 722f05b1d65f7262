import { redactValues } from '@troupe/env'
import type { Redactor } from '@troupe/schema'
import type { HostPlan } from './plan-types.ts'

/**
 * Removes secrets from a plan. Checks its JSON first, since most plans contain none; the redactor also knows
 * the JSON form of a secret.
 */
export function redactPlan(plan: HostPlan, { redact }: Redactor): HostPlan {
  const whole = JSON.stringify(everythingOnce(plan))
  return redact(whole) === whole ? plan : redactValues(plan, redact)
}

/** Returns the plan with shared field reports listed once, as they make up most of it. */
function everythingOnce({ cards, ...rest }: HostPlan): object {
  const fields = new Set(cards.flatMap((card) => card.fields))
  return [rest, cards.map((card) => ({ ...card, fields: undefined })), [...fields]]
}
