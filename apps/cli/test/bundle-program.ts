import { copyFile, cp } from 'node:fs/promises'
import path from 'node:path'
import { bundleForTests } from '@troupe/tooling/bundle-for-tests'
import type { TestProject } from 'vitest/node'
import { DEPLOY_FILES } from '../src/scaffold/deploy-files.ts'
import { entry } from '../tsup.entry.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** File of the bundled program. */
    readonly program: string
  }
}

const ROOT = path.join(import.meta.dirname, '..')

/** Bundles the program as it is published. Returns its file. */
export async function bundleProgram(): Promise<{ readonly file: string; remove(): Promise<void> }> {
  const { folder, remove } = await bundleForTests(ROOT, entry)
  const bridge = path.join(ROOT, '../../packages/python/src/bridge.py')
  await copyFile(bridge, path.join(folder, 'dist/bridge.py'))
  for (const file of DEPLOY_FILES)
    await cp(path.join(ROOT, '../../deploy', file), path.join(folder, 'dist/deploy', file))
  await copyFile(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'))
  return { file: path.join(folder, 'dist/bin.js'), remove }
}

/** Bundles the program for all tests, which get its file with `inject('program')`. For `globalSetup` of vitest. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { file, remove } = await bundleProgram()
  project.provide('program', file)
  return remove
}
