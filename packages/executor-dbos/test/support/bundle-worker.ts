import path from 'node:path'
import { bundleForTests } from '@troupe/tooling/bundle-for-tests'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** File of the bundled worker. */
    readonly worker: string
  }
}

/** Bundles the worker for all tests, which get its file with `inject('worker')`. For `globalSetup` of vitest. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { folder, remove } = await bundleForTests(import.meta.dirname, { worker: 'worker-process.ts' })
  project.provide('worker', path.join(folder, 'dist/worker.js'))
  return remove
}
