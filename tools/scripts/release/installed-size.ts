import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Size of what npm has installed into a folder. */
export interface InstalledSize {
  readonly packages: number
  /** Sum of the sizes of all files. */
  readonly installedBytes: number
}

/** Measures the `node_modules` of a folder in which npm has installed packages. */
export function installedSize(folder: string): InstalledSize {
  const modules = path.join(folder, 'node_modules')
  const { packages } = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return {
    packages: Object.keys(packages).length,
    installedBytes: files.reduce(
      (sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size,
      0,
    ),
  }
}
