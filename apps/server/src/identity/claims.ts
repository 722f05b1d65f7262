import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** A value that a claim can be compared with. */
export type ClaimValue = string | number | boolean

/**
 * Returns a claim by its name, or by a path with dots such as `realm_access.roles`. A claim whose name contains
 * dots, such as a URL, comes first.
 */
export function readClaim(claims: JsonObject, name: string): Json | undefined {
  const own = getOwn(claims, name)
  if (own !== undefined) return own
  let value: Json | undefined = claims
  for (const key of name.split('.')) value = isJsonObject(value) ? getOwn(value, key) : undefined
  return value
}

/** Returns the texts of a claim that is a text or a list. */
export function claimTexts(claims: JsonObject, name: string): readonly string[] {
  return claimValues(claims, name).filter((value) => typeof value === 'string')
}

/** Returns the scopes of a token, from `scope` or from the `scp` of some providers. */
export function readScopes(claims: JsonObject): ReadonlySet<string> {
  const texts = ['scope', 'scp'].flatMap((name) => claimTexts(claims, name))
  return new Set(texts.flatMap((text) => text.split(' ')))
}

/** Returns the first required claim that has none of its accepted values. */
export function missingClaim(
  claims: JsonObject,
  required: Readonly<Record<string, ClaimValue | readonly ClaimValue[]>>,
): string | undefined {
  const [missing] =
    Object.entries(required).find(([name, accepted]) => {
      const list: readonly Json[] = [accepted].flat()
      return !claimValues(claims, name).some((value) => list.includes(value))
    }) ?? []
  return missing
}

function claimValues(claims: JsonObject, name: string): readonly Json[] {
  const value = readClaim(claims, name)
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
