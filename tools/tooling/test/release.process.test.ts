import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const scripts = path.join(import.meta.dirname, '../../scripts')

/** A repository with the script of releases, and a `pnpm` that stands in for the real one. */
function startDryRun(pnpm: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-release-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const repository = path.join(folder, 'repository')
  const temp = path.join(folder, 'temp')
  const bin = path.join(folder, 'bin')
  for (const each of [repository, temp, bin]) mkdirSync(each)
  mkdirSync(path.join(repository, 'release'))
  writeFileSync(path.join(repository, 'release/earlier.tgz'), '')
  cpSync(path.join(scripts, 'release'), path.join(repository, 'tools/scripts/release'), { recursive: true })
  cpSync(path.join(scripts, 'release.ts'), path.join(repository, 'tools/scripts/release.ts'))
  writeFileSync(path.join(bin, 'pnpm'), `#!/bin/sh\ntouch '${folder}/started'\n${pnpm}\n`)
  chmodSync(path.join(bin, 'pnpm'), 0o755)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
      cwd: repository,
      encoding: 'utf8',
    })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'all')
  const child = spawn(process.execPath, ['tools/scripts/release.ts', '--dry-run'], {
    cwd: repository,
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: folder, TMPDIR: temp },
    stdio: 'ignore',
  })
  return {
    child,
    isStarted: () => existsSync(path.join(folder, 'started')),
    /** Waits for the end. Returns the exit code, what is left of temporary files, and what changed in the repository. */
    end: async () => {
      const [code] = (await once(child, 'exit')) as [number | null]
      return { code, temporary: readdirSync(temp), changes: git('status', '--porcelain', '--ignored') }
    },
  }
}

it('a dry run of a release that is interrupted leaves no temporary files and changes nothing', async () => {
  const run = startDryRun('exec sleep 600')
  await expect.poll(run.isStarted).toBe(true)
  run.child.kill('SIGINT')
  expect(await run.end()).toEqual({ code: 130, temporary: [], changes: '' })
})

it('a dry run of a release that fails leaves no temporary files and changes nothing', async () => {
  const run = startDryRun('exit 1')
  expect(await run.end()).toEqual({ code: 1, temporary: [], changes: '' })
})
