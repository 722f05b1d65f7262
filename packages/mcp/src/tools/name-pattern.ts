import picomatch from 'picomatch'

/** A predicate over names for one entry of a filter: the name itself, or a glob over the whole name. */
export function namePattern(entry: string): (name: string) => boolean {
  const matches = picomatch(entry, { dot: true, bash: true, noextglob: true, nonegate: true })
  return (name) => name === entry || matches(name)
}
