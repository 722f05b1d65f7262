import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const DEPLOY = path.join(import.meta.dirname, '..')
const PROGRAM = path.join(DEPLOY, '../apps/cli/src/bin.ts')
/** Files that only this repository needs. */
const OWN_FILES = ['image/build-from-clone.sh', 'image/local-bases.sh']

it('troupe new --kind deploy writes all checked files of deploy/, of which only the Containerfile may differ, and never overwrites one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-deploy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (): number | null =>
    spawnSync(process.execPath, ['--conditions=@troupe/source', PROGRAM, 'new', '--kind', 'deploy'], {
      cwd: folder,
    }).status
  expect(write()).toBe(0)

  const files = globSync('{compose,image,kubernetes,proxies,systemd}/*', { cwd: DEPLOY }).filter(
    (file) => !OWN_FILES.includes(file),
  )
  const written = path.join(folder, 'deploy')
  expect(globSync('*/*', { cwd: written }).toSorted()).toEqual(files.toSorted())
  const textsOf = (root: string): readonly string[] =>
    files.map((file) =>
      readFileSync(path.join(root, file), 'utf8').replace(/^ARG TROUPE_VERSION=.*$/mu, 'ARG TROUPE_VERSION'),
    )
  expect(textsOf(written)).toEqual(textsOf(DEPLOY))
  expect(statSync(path.join(written, 'image/build.sh')).mode & 0o111).not.toBe(0)
  expect(readFileSync(path.join(written, '.gitignore'), 'utf8')).toBe(
    '/compose/.env\n/compose/secrets/\n/kubernetes/troupe.env\n',
  )

  expect(write()).toBe(2)
})
