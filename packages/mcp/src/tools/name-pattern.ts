import picomatch from 'picomatch'

/** Returns a predicate for a filter entry: an exact name, or a glob over the whole name. */
export function namePattern(entry: string): (name: string) => boolean {
  const matches = picomatch(entry, { dot: true, bash: true, noextglob: true, nonegate: true })
  return (name) => name === entry || matches(name)
}
