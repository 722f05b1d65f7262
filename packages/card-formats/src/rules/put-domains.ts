import { parseAddressRange } from '@troupe/schema/text'
import type { FieldContext, FieldReport } from '@troupe/cards/formats'
import { putArgumentRule, type TranslatedRule } from './put-rule.ts'

/** A rule for the domains that the tools fetch. */
interface DomainRule extends TranslatedRule {
  readonly domain: string
}

/**
 * Adds a rule for a domain, such as `example.com` or `*.example.com`, or for a range of IP addresses. A rule
 * that denies or asks also applies to the domains below it.
 */
export function putDomainRule(
  { domain, ...rule }: DomainRule,
  field: FieldContext,
): Omit<FieldReport, 'key'> {
  const [exact = '', ...below] = domainPatterns(domain)
  const outcome = putArgumentRule({ ...rule, argument: 'domain', pattern: exact }, field)
  if (rule.permission !== 'allow')
    for (const pattern of below) putArgumentRule({ ...rule, argument: 'domain', pattern }, field)
  return outcome
}

/** Denies every domain that is not in the list. */
export function putAllowedDomains(
  domains: readonly string[],
  rule: Omit<TranslatedRule, 'permission'>,
  field: FieldContext,
): Omit<FieldReport, 'key'> {
  const except = domains.flatMap((domain) => domainPatterns(domain).slice(0, 1))
  return putArgumentRule({ ...rule, permission: 'deny', argument: 'domain', pattern: '*', except }, field)
}

/** Returns the pattern of an address or domain and, unless it is one for the domains below, theirs. */
function domainPatterns(domain: string): readonly string[] {
  const name = domain.trim().toLowerCase().replace(/\.+$/u, '').replace(/^\./u, '*.')
  return name.startsWith('*') || parseAddressRange(name) !== undefined ? [name] : [name, `*.${name}`]
}
