const GLOB = /[*?[\]{}()!+@|\\]/u

/** Returns true if the part of a glob that is no pattern leaves it open that a name with this prefix matches. */
export function mayBeBelow(prefix: string, glob: string): boolean {
  const special = glob.search(GLOB)
  if (special === -1) return glob.startsWith(prefix)
  const literal = glob.slice(0, special)
  return literal.startsWith(prefix) || prefix.startsWith(literal)
}
