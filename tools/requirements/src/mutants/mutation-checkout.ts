import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, lstat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readMutated, type Mutant } from './mutant.ts'

/** A temporary copy of the repository in which mutations are applied, so that the repository itself never changes. */
export interface MutationCheckout {
  readonly root: string
  /** Applies the mutation while `work` runs. */
  withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T>
  remove(): Promise<void>
}

/**
 * Copies every file that git tracks or would track, and links the installed dependencies. The links between workspace
 * packages are relative, so that they lead into the copy.
 */
export async function createMutationCheckout(repository: string): Promise<MutationCheckout> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-mutants-')))
  try {
    await copyFiles(repository, root)
    await linkDependencies(repository, root)
  } catch (thrown) {
    await rm(root, { recursive: true, force: true })
    throw thrown
  }
  return {
    root,
    async withMutant(mutant, work) {
      const { path, original, mutated } = await readMutated(root, mutant)
      await writeFile(path, mutated)
      try {
        return await work()
      } finally {
        await writeFile(path, original)
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

async function copyFiles(repository: string, root: string): Promise<void> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', list, { cwd: repository, maxBuffer: 64 * 1024 * 1024 })
  const files = stdout.split('\0').filter((file) => file !== '')
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    await mkdir(join(root, folder), { recursive: true })
  }
  for (const file of files) {
    // git still lists a file that was deleted and not yet committed
    if (await exists(join(repository, file))) {
      await cp(join(repository, file), join(root, file), { verbatimSymlinks: true })
    }
  }
}

async function linkDependencies(repository: string, root: string): Promise<void> {
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  for (const folder of await packageFolders(root)) {
    const modules = join(repository, folder, 'node_modules')
    // a package without dependencies has no such folder
    if (!(await exists(modules))) continue
    await cp(modules, join(root, folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      // caches of tools
      filter: (path) => !/node_modules[/\\]\.(?:cache|vite)/u.test(path),
    })
  }
}

/** The folders of the workspace packages, which lie at most two levels deep. */
async function packageFolders(root: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (const name of await subfolders(root)) {
    folders.push(name, ...(await subfolders(join(root, name))).map((child) => join(name, child)))
  }
  return folders
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
