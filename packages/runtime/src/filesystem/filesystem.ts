import type { ToolDefinition } from '@troupe/schema'
import { listTool } from './list-tool.ts'
import { readTool } from './read-tool.ts'
import type { RootFolder } from './root-folder.ts'
import { searchTool } from './search-tool.ts'
import type { TeamGuard } from './team-files.ts'
import { writeTool } from './write-tool.ts'

/** Dependencies shared by the file tools of a team. */
export interface Filesystem {
  readonly root: RootFolder
  /** Returns the team guard, created on first use. */
  guard(): Promise<TeamGuard>
}

/**
 * Creates `filesystem.read`, `write`, `list` and `search` for one folder. Writing needs approval unless the
 * card allows it.
 */
export function filesystemTools(files: Filesystem): readonly ToolDefinition[] {
  return [readTool(files), writeTool(files), listTool(files), searchTool(files)]
}
