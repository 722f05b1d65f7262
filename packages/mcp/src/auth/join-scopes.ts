/** The words of all scopes, each once, in their order; undefined when there are none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((word) => word !== ''))
  return words.size === 0 ? undefined : [...words].join(' ')
}
