import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import { CHROMIUM } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built page. */
    page: string
  }
}

/** Builds the page once for all tests, as it is published. */
export default async function buildPage({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-page-')))
  provide('page', folder)
  if (CHROMIUM !== undefined) {
    // vitest sets NODE_ENV to `test`, for which Vite takes the development build of React, which mounts twice
    const { NODE_ENV } = process.env
    process.env['NODE_ENV'] = 'production'
    await build({
      root: join(import.meta.dirname, '../../../../apps/web'),
      configFile: join(import.meta.dirname, '../../../../apps/web/vite.config.ts'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    })
    process.env['NODE_ENV'] = NODE_ENV
  }
  return () => rm(folder, { recursive: true, force: true })
}
