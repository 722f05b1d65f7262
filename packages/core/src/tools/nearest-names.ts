const MOST = 3
const LONGEST = 100
/** Minimum likeness of a suggested name, from 0 to 1. */
const LEAST_LIKENESS = 0.3

/** Returns the most similar names, best first. Compares pairs of letters and ignores separators. */
export function nearestNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = pairsOf(name)
  return [...candidates]
    .map((candidate) => ({ candidate, likeness: likeness(wanted, pairsOf(candidate)) }))
    .filter((each) => each.likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MOST)
    .map(({ candidate }) => candidate)
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name
    .slice(0, LONGEST)
    .toLowerCase()
    .replaceAll(/[-_.\s]/gu, '')
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < letters.length; at += 1) pairs.add(letters.slice(at, at + 2))
  return pairs
}

/** Returns the Dice coefficient, from 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0
  let shared = 0
  for (const pair of one) if (other.has(pair)) shared += 1
  return (2 * shared) / (one.size + other.size)
}
