import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Options } from 'tsup'

/**
 * Writes the licences of bundled packages next to the bundle after the build, and then calls `onSuccess`.
 * `folder` is the folder of the package.
 */
export function withNotices(
  folder: string,
  next: { onSuccess?(): void } = {},
): Pick<Options, 'metafile' | 'onSuccess'> {
  const onSuccess = (): Promise<void> => {
    const list = join(folder, 'dist', 'metafile-esm.json')
    const { inputs } = JSON.parse(readFileSync(list, 'utf8')) as {
      readonly inputs: Readonly<Record<string, unknown>>
    }
    writeFileSync(
      join(folder, 'dist', 'THIRD-PARTY-NOTICES.txt'),
      thirdPartyNotices(Object.keys(inputs), folder),
    )
    rmSync(list)
    next.onSuccess?.()
    return Promise.resolve()
  }
  return { metafile: true, onSuccess }
}

/** Returns the licence texts of every package in the bundle. `inputs` are the files of the bundle, relative to `folder`. */
function thirdPartyNotices(inputs: readonly string[], folder: string): string {
  const roots = new Set(
    inputs.filter((file) => file.includes('node_modules/')).map((file) => packageRoot(join(folder, file))),
  )
  const notices = new Map<string, string>()
  for (const root of roots) {
    const { name, version, license } = readManifest(root)
    notices.set(`${name} ${version} (${license ?? 'see below'})`, licenceText(root))
  }
  const sorted = [...notices].toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return sorted.map(([title, text]) => `${title}\n${'-'.repeat(title.length)}\n${text}\n`).join('\n')
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** Finds the nearest folder whose package.json has a name. Some packages contain others that only set `type`. */
function packageRoot(file: string): string {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json')) || readManifest(folder).version === undefined)
    folder = dirname(folder)
  return folder
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function licenceText(root: string): string {
  const files = readdirSync(root).filter((name) => /^(?:licen[cs]e|notice|copying)/iu.test(name))
  return files.map((name) => readFileSync(join(root, name), 'utf8').trim()).join('\n\n')
}
