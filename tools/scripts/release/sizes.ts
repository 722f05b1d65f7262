import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** The size of a packed package. */
export interface PackedSize {
  readonly file: string
  /** Size of the tarball, in kB of 1,000 bytes. */
  readonly kB: number
  /** Largest size allowed; `undefined` for a package that is not in the file of limits. */
  readonly limit: number | undefined
}

/**
 * Returns the sizes of all tarballs of a folder, the largest first. `limitsFile` is JSON: the limit in kB by the name of
 * the package as in its tarball, such as `troupe-core`.
 */
export function readSizes(folder: string, limitsFile: string): readonly PackedSize[] {
  const limits = JSON.parse(readFileSync(limitsFile, 'utf8')) as Readonly<Record<string, number>>
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => ({
      file,
      kB: Math.round(statSync(path.join(folder, file)).size / 1000),
      limit: limits[file.replace(/-\d[^/]*\.tgz$/u, '')],
    }))
    .toSorted((left, right) => right.kB - left.kB)
}
