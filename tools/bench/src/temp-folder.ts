import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for temporary files. */
export interface TempFolder {
  readonly path: string
  remove(): void
}

/** Creates an empty folder for temporary files. */
export function createTempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true }) }
}
