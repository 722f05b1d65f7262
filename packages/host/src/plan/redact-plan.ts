import { redactValues } from '@troupe/env'
import type { Redactor } from '@troupe/schema'
import type { HostPlan } from './plan-types.ts'

/** A plan without secrets. Most hold none, which one look at their JSON tells: a redactor knows how JSON writes a secret. */
export function redactPlan(plan: HostPlan, { redact }: Redactor): HostPlan {
  const whole = JSON.stringify(everythingOnce(plan))
  return redact(whole) === whole ? plan : redactValues(plan, redact)
}

/** Most of a plan is what became of the keys of its cards, and most of that are the same few lines. */
function everythingOnce({ cards, ...rest }: HostPlan): object {
  const fields = new Set(cards.flatMap((card) => card.fields))
  return [rest, cards.map((card) => ({ ...card, fields: undefined })), [...fields]]
}
