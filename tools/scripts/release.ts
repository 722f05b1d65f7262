/**
 * Makes a release: packs all public packages into `release/`, checks them, and writes their bill of materials.
 * `--dry-run` does this in a clone in which the changesets set the next version, and publishes nothing. `--publish`
 * does it in this folder and publishes what npm does not have yet. A dry run that fails or is interrupted changes
 * nothing in this folder and leaves no temporary files.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readLicences } from './release/licences.ts'
import { createCommandRunner } from './release/run-command.ts'
import { readSizes } from './release/sizes.ts'

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, publish: { type: 'boolean' } },
})
if ((values['dry-run'] === true) === (values.publish === true)) {
  console.error('Pass either --dry-run or --publish.')
  process.exit(2)
}

const here = path.join(import.meta.dirname, '../..')
const work = mkdtempSync(path.join(tmpdir(), 'troupe-release-'))
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => stop.abort(new Error(`The release was ended by ${signal}.`)))
const run = createCommandRunner(stop.signal)
try {
  const root = values.publish === true ? here : await cloneWithNextVersion()
  const release = path.join(root, 'release')
  rmSync(release, { recursive: true, force: true })
  mkdirSync(release)
  step('build')
  await run('pnpm', ['build'], root)
  step('pack and check')
  await run('node', ['tools/scripts/check-packages.ts', '--tarballs', release], root)
  step('sizes')
  checkSizes(root, release)
  step('licences')
  checkLicences(root)
  step('bill of materials')
  const bill = path.join(release, 'sbom.cdx.json')
  await run('pnpm', ['sbom', '--sbom-format', 'cyclonedx', '--prod', '--out', bill], root)
  step('package managers and versions of Node')
  const tarballs = tarballsOf(release)
  await run('node', ['tools/scripts/release/runtimes.ts', '--tarballs', release], root)
  step('sizes beside other libraries')
  await run('node', ['tools/scripts/release/compare-sizes.ts', '--tarballs', release], root)
  if (values.publish === true) await publish(tarballs)
  else {
    rmSync(path.join(here, 'release'), { recursive: true, force: true })
    cpSync(release, path.join(here, 'release'), { recursive: true })
    console.log(`\nDry run: ${tarballs.length} packages are in release/. Nothing was published.`)
  }
} catch (thrown) {
  process.exitCode = stop.signal.aborted ? 130 : 1
  console.error(thrown instanceof Error ? thrown.message : thrown)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Clones the last commit, installs it and sets the next version. Returns the folder. */
async function cloneWithNextVersion(): Promise<string> {
  step('clone with the next version')
  const clone = path.join(work, 'clone')
  const install = ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent']
  await run('git', ['clone', '--quiet', here, clone], here)
  await run('pnpm', install, clone)
  await run('pnpm', ['changeset', 'version'], clone)
  await run('pnpm', install, clone)
  const { version } = JSON.parse(readFileSync(path.join(clone, 'apps/cli/package.json'), 'utf8')) as {
    readonly version: string
  }
  console.log(`The next version is ${version}.`)
  return clone
}

function checkSizes(root: string, release: string): void {
  const sizes = readSizes(release, path.join(root, 'tools/scripts/release/size-limits.json'))
  for (const { file, kB, limit } of sizes)
    console.log(`${String(kB).padStart(6)} kB of ${limit ?? '?'}  ${file}`)
  const wrong = sizes.filter(({ kB, limit }) => limit === undefined || kB > limit)
  if (wrong.length > 0)
    throw new Error(
      `${wrong.map(({ file }) => file).join(', ')}: larger than in tools/scripts/release/size-limits.json, or not in it.`,
    )
}

function checkLicences(root: string): void {
  const { counts, problems } = readLicences(root)
  for (const [licence, count] of counts) console.log(`${String(count).padStart(6)}  ${licence}`)
  if (problems.length > 0)
    throw new Error(
      `May not be compatible with Apache-2.0: ${problems.map(({ name, licence }) => `${name} (${licence})`).join(', ')}`,
    )
}

function tarballsOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => path.join(folder, file))
}

/** Publishes the packages that npm does not have in this version. */
async function publish(tarballs: readonly string[]): Promise<void> {
  step('publish')
  for (const tarball of tarballs) {
    const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
    const { name, version } = JSON.parse(manifest) as { readonly name: string; readonly version: string }
    if (isPublished(`${name}@${version}`)) console.log(`${name}@${version} is published already`)
    else await run('npm', ['publish', tarball, '--access', 'public', '--provenance'], here)
  }
}

function isPublished(specifier: string): boolean {
  try {
    const found = execFileSync('npm', ['view', specifier, 'version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return found.trim() !== ''
  } catch {
    // npm exits with an error if there is no such package.
    return false
  }
}

function step(name: string): void {
  console.log(`\n== ${name}`)
}
