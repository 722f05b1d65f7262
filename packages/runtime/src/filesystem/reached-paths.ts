import { resolve, sep } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import type { ReachedPaths, RuleArgument } from '@troupe/schema/ports'
import type { Filesystem } from './filesystem.ts'

/** Reads the `path` argument for permission rules: the path as given and the file that it resolves to. */
export function pathArgument({ root }: Filesystem): RuleArgument {
  return { kind: 'path', read: async ({ path }) => reachedPaths(root, path as string) }
}

/** Reads the `path` argument of a tool that may read a whole folder. */
export function treeArgument({ root }: Filesystem): RuleArgument {
  const read = async ({ path }: JsonObject): Promise<ReachedPaths> => {
    const wanted = path as string
    const handle = await root.openFile(await root.locate(wanted))
    try {
      const isTree = !(await handle.stat()).isFile()
      return { ...(await reachedPaths(root, wanted)), isTree }
    } finally {
      await handle.close()
    }
  }
  return { kind: 'path', readsFolders: true, read }
}

async function reachedPaths(root: Filesystem['root'], path: string): Promise<ReachedPaths> {
  const [{ real }, folder] = await Promise.all([root.locate(path), root.real()])
  const paths = new Set([real, resolve(folder, path)].map(withSlashes))
  return { root: withSlashes(folder), paths: [...paths], isTree: false }
}

function withSlashes(path: string): string {
  return path.replaceAll(sep, '/')
}
