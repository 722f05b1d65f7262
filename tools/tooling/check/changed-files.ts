import { spawnSync } from 'node:child_process'
import path from 'node:path'

/**
 * Returns the absolute paths of the files that differ from the commit where this branch left `main`: committed, uncommitted and untracked.
 * Empty without changes or without git.
 */
export function changedFiles(root: string): readonly string[] {
  const base = ['origin/main', 'main']
    .map((branch) => git(root, 'merge-base', 'HEAD', branch)?.trim())
    .find((commit) => commit !== undefined)
  const tracked = git(root, 'diff', '--name-only', '-z', base ?? 'HEAD') ?? ''
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard', '-z') ?? ''
  const files = `${tracked}${untracked}`.split('\0').filter((file) => file !== '')
  return files.map((file) => path.join(root, file))
}

/** Returns the output of git, or `undefined` if git fails or is missing. */
function git(root: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}
