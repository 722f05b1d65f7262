import { existsSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { isInside } from '@troupe/schema/paths'
import { isFolder } from '../cards/card-reference.ts'
import type { WatchedPaths } from './watched-paths.ts'

/**
 * Names of files in a card folder that may belong to a team. Files starting with a dot belong only if named
 * explicitly.
 */
const TEAM_FILE = /^[^.].*\.(?:md|ai|ya?ml|jsonc?|[cm]?[jt]s|py|env|txt)$/iu
const IGNORED_FOLDERS = new Set(['node_modules', '.git'])

/** A watcher of files. */
export interface FileWatcher {
  close(): Promise<void>
}

/** Watches files, folders and trees. Resolves once changes are reported. */
export async function openFileWatcher(
  paths: WatchedPaths,
  on: { change(path: string): void; error(thrown: unknown): void },
): Promise<FileWatcher> {
  const { watch } = await import('chokidar')
  const { roots, files } = pathsToWatch(paths)
  const watcher = watch([...roots], {
    ignoreInitial: true,
    ignored: (path, stats) => {
      if (roots.has(path) || files.has(path)) return false
      if ([...paths.trees].some((tree) => isInside(tree, path)))
        return path.split(sep).some((part) => IGNORED_FOLDERS.has(part))
      const mayBelong = paths.folders.has(dirname(path)) && TEAM_FILE.test(basename(path))
      return !mayBelong || stats?.isDirectory() === true
    },
  })
  watcher.on('all', (_event, path) => on.change(path))
  watcher.on('error', on.error)
  await new Promise<void>((resolve) => void watcher.once('ready', resolve))
  return { close: () => watcher.close() }
}

/**
 * Returns the paths to watch. For a missing path this is the nearest existing folder, where the next part of
 * the path may appear.
 */
function pathsToWatch({ folders, trees, files: watchedFiles }: WatchedPaths): {
  readonly roots: ReadonlySet<string>
  readonly files: ReadonlySet<string>
} {
  const roots = new Set<string>()
  const files = new Set(watchedFiles)
  for (const path of [...folders, ...trees, ...[...watchedFiles].map((file) => dirname(file))]) {
    let at = path
    for (; !existsSync(at) && dirname(at) !== at; at = dirname(at)) files.add(at)
    if (isFolder(at)) roots.add(at)
  }
  return { roots, files }
}
