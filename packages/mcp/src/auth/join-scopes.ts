/** Returns the distinct scopes in order of appearance, separated by spaces; `undefined` if there are none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((word) => word !== ''))
  return words.size === 0 ? undefined : [...words].join(' ')
}
