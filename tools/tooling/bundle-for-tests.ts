import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'tsup'
import { program } from './tsup.ts'

/** A bundle in a folder of its own. */
export interface TestBundle {
  /** The folder, whose `dist` has the bundle. */
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Bundles a program for the tests of a package, which then start it in half the time that it takes from its sources.
 * `root` is the folder of the package, `entry` has its files by their names in the bundle.
 */
export async function bundleForTests(
  root: string,
  entry: Readonly<Record<string, string>>,
): Promise<TestBundle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-bundle-'))
  // some tests run the program as another user
  await chmod(folder, 0o755)
  // without it, Node reads each file twice to find out that it is a module
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const files = Object.entries(entry).map(([name, file]) => [name, path.join(root, file)])
  await build({
    ...program({ entry: Object.fromEntries(files) as Record<string, string> }),
    config: false,
    outDir: path.join(folder, 'dist'),
    clean: false,
    silent: true,
  })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
