import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { troupeError } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'

/** A temporary folder for one test. */
export interface TempProject {
  /** Absolute path without symbolic links. */
  readonly path: string
  /** Writes a file. `file` is relative to the folder. */
  write(file: string, text: string): Promise<void>
  read(file: string): Promise<string>
  /** Deletes the folder. */
  remove(): Promise<void>
}

/** Creates a temporary folder with files, given as content by path. */
export async function tempProject(files: Readonly<Record<string, string>> = {}): Promise<TempProject> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'troupe-test-')))
  const project: TempProject = {
    path,
    async write(file, text) {
      const target = inside(path, file)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text)
    },
    read: (file) => readFile(inside(path, file), 'utf8'),
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  }
  for (const [file, text] of Object.entries(files)) await project.write(file, text)
  return project
}

function inside(folder: string, file: string): string {
  const target = resolve(folder, file)
  if (isBelow(folder, target)) return target
  throw troupeError('usage_invalid', `"${file}" does not lie in the temporary project.`)
}
