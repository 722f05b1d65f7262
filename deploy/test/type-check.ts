import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** An object of Kubernetes, as a manifest describes it. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
}

const TSC = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

/**
 * Checks objects against the types of `kubernetes-models`, and returns the messages of the compiler. Fields that
 * the types do not have are errors, which the schemas of Kubernetes would accept.
 */
export function typeCheck(objects: readonly KubernetesObject[]): readonly string[] {
  // below the package, so that the compiler finds its dependencies
  const folder = mkdtempSync(path.join(import.meta.dirname, '../node_modules/.types-'))
  const lines = objects.flatMap((object, index) => [
    `import type { I${object.kind} as Type${index} } from 'kubernetes-models/${object.apiVersion}'`,
    `export const object${index}: Type${index} = ${JSON.stringify(object, null, 2)}`,
  ])
  const options = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] }
  try {
    writeFileSync(path.join(folder, 'objects.ts'), lines.join('\n'))
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line.includes('error'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
