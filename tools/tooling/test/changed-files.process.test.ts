import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { changedFiles } from '../check/changed-files.ts'

/** Creates a folder with two files that is removed after the test. */
function folderOfTwo(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ['a.ts', 'b.ts']) writeFileSync(path.join(folder, file), '1')
  writeFileSync(path.join(folder, '.gitignore'), 'ignored.ts\n')
  return folder
}

/** Creates a repository with one commit on `main`. */
function repository(): {
  readonly folder: string
  git(...args: readonly string[]): void
  write(file: string): void
  changed(): readonly string[]
} {
  const folder = folderOfTwo()
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
  git('init', '-b', 'main')
  git('add', '.')
  git('commit', '-m', 'first')
  return {
    folder,
    git,
    write: (file) => writeFileSync(path.join(folder, file), '2'),
    changed: () => changedFiles(folder).map((file) => path.relative(folder, file)),
  }
}

it('a clone without a change has no changed files, and neither has a folder without git', () => {
  const { changed } = repository()
  expect(changed()).toEqual([])
  expect(changedFiles(folderOfTwo())).toEqual([])
})

it('uncommitted and untracked files have changed, and ignored files have not', () => {
  const { git, write, changed } = repository()
  write('a.ts')
  write('b.ts')
  git('add', 'b.ts')
  write('new file.ts')
  write('ignored.ts')
  expect(changed()).toEqual(['a.ts', 'b.ts', 'new file.ts'])
})

it('files committed on a branch have changed, and later commits on main have not', () => {
  const { git, write, changed } = repository()
  git('switch', '-c', 'topic')
  write('a.ts')
  git('commit', '-am', 'second')
  git('switch', 'main')
  write('b.ts')
  git('commit', '-am', 'third')
  git('switch', 'topic')
  expect(changed()).toEqual(['a.ts'])
})

it('commits on main that its remote does not have count as changes', () => {
  const { folder, git, write, changed } = repository()
  git('remote', 'add', 'origin', folder)
  git('fetch', 'origin')
  write('a.ts')
  git('commit', '-am', 'second')
  expect(changed()).toEqual(['a.ts'])
})
