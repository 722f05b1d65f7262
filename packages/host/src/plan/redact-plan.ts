import { redactValues } from '@troupe/env'
import type { Redactor } from '@troupe/schema'
import type { HostPlan } from './plan-types.ts'

/** A plan without secrets. Most hold none, which one look at their JSON tells: a redactor knows how JSON writes a secret. */
export function redactPlan(plan: HostPlan, { redact }: Redactor): HostPlan {
  const whole = JSON.stringify(plan)
  return redact(whole) === whole ? plan : redactValues(plan, redact)
}
