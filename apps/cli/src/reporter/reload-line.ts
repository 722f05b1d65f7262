import type { WatchedReload } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { shortPath } from './problems.ts'

const MAX_NAMES = 3

/**
 * Returns one line about a reload: the changed files and agents, or the note that the previous team stays in
 * use because of errors.
 */
export function reloadLine(reload: WatchedReload, cwd: string): string {
  const { outcome, added, changed, removed } = reload
  const what = [
    ['added', added],
    ['changed', changed],
    ['removed', removed],
  ] as const
  const agents = what.flatMap(([word, names]) => (names.length === 0 ? [] : [`${word} ${listNames(names)}`]))
  const files = listNames(reload.files.map((file) => shortPath(file, cwd)))
  const end = outcome === 'kept' ? 'has errors: the team stays as it was' : agents.join(', ') || 'read again'
  return plainText(`${files || 'The team'}: ${end}`)
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
