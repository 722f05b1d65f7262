import type { CallerRole } from '@troupe/headends'

/** An identified caller. */
export interface Identity {
  readonly principal: string
  readonly role: CallerRole
}

/** Values of a claim or header by the role that they give. */
export interface RoleMapping {
  /** Default: `operator`. */
  readonly operator?: readonly string[]
  /** Default: every caller without another role is a user. With a list, callers without any role are rejected. */
  readonly user?: readonly string[]
  /** Default: `viewer`. */
  readonly viewer?: readonly string[]
}

/** Returns the role with the most rights that the values give; `undefined` if they give none. */
export function roleOf(
  values: readonly string[],
  { operator = ['operator'], user, viewer = ['viewer'] }: RoleMapping = {},
): CallerRole | undefined {
  const has = (wanted: readonly string[]): boolean => wanted.some((value) => values.includes(value))
  if (has(operator)) return 'operator'
  if (user !== undefined && has(user)) return 'user'
  if (has(viewer)) return 'viewer'
  return user === undefined ? 'user' : undefined
}

/**
 * Returns true for text that can be part of a principal: up to 255 characters without control and formatting
 * characters.
 */
export function isPrincipalName(text: string): boolean {
  return /^\P{C}{1,255}$/u.test(text)
}
