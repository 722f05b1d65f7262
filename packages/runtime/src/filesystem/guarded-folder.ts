import { join, resolve } from 'node:path'
import type { RuleArgument } from '@troupe/schema/ports'
import type { Filesystem } from './filesystem.ts'
import { deniedError } from './fs-errors.ts'
import { pathArgument } from './reached-paths.ts'
import { createRootFolder } from './root-folder.ts'
import { createTeamGuard, type TeamFiles } from './team-files.ts'

/** A folder with the rules of the file tools, for tools that access its files in another way. */
export interface GuardedFolder {
  /**
   * Resolves a path, which need not exist, to an absolute path below the folder, without links. Throws
   * `filesystem_denied` if the path is outside, or file tools may not access it.
   */
  locate(path: string, access: 'read' | 'write'): Promise<string>
  /** Reads a `path` argument for permission rules. */
  readonly pathArgument: RuleArgument
}

/** Creates a folder. Nothing is accessed until a path is resolved. */
export function createGuardedFolder(path: string, team: TeamFiles): GuardedFolder {
  const root = createRootFolder(path)
  const files: Filesystem = { root, guard: async () => createTeamGuard(team, await root.real()) }
  return {
    async locate(wanted, access) {
      const { real, shown } = await root.locate(wanted)
      const guard = await files.guard()
      const why = access === 'read' ? guard.whyNotRead(real) : guard.whyNotWrite(real)
      if (why !== undefined) throw deniedError(shown, why)
      return join(resolve(path), shown)
    },
    pathArgument: pathArgument(files),
  }
}
