import { containsAddress, parseAddressRange } from '@troupe/schema/text'
import { matchGlob, type MatchBudget, type PossibleMatch } from './argument-pattern.ts'

/**
 * Compares a host with the pattern of a deny or ask rule: a range of IP addresses, an address in any spelling,
 * or a glob of names. Ignores case. Names are not resolved.
 */
export function possibleHostMatch(pattern: string, host: string, budget: MatchBudget): PossibleMatch {
  const found = matchHost(pattern.trim().toLowerCase(), host.toLowerCase(), budget)
  if (found === true) return { kind: 'yes' }
  if (found === false) return { kind: 'no' }
  return {
    kind: 'unknown',
    why: pattern.includes('/')
      ? 'the pattern of the rule is not a range of addresses'
      : 'comparing it with the rules takes too long',
  }
}

/** Returns true only if the host certainly matches the pattern. */
export function isHostMatch(pattern: string, host: string, budget: MatchBudget): boolean {
  return matchHost(pattern, host, budget) === true
}

function matchHost(pattern: string, host: string, budget: MatchBudget): boolean | undefined {
  const range = parseAddressRange(pattern)
  if (range !== undefined) {
    const address = parseAddressRange(host)
    return address !== undefined && containsAddress(range, address)
  }
  return pattern.includes('/') ? undefined : matchGlob(pattern, host, budget)
}
