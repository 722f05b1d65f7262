import type { ToolDefinition } from '@troupe/schema'
import { listTool } from './list-tool.ts'
import { readTool } from './read-tool.ts'
import type { RootFolder } from './root-folder.ts'
import { searchTool } from './search-tool.ts'
import type { TeamGuard } from './team-files.ts'
import { writeTool } from './write-tool.ts'

/** What the file tools of a team share. */
export interface Filesystem {
  readonly root: RootFolder
  /** Made when the root is first used. */
  guard(): Promise<TeamGuard>
}

/** `filesystem.read`, `write`, `list` and `search` in one folder. Writing asks a person unless the card allows it. */
export function filesystemTools(files: Filesystem): readonly ToolDefinition[] {
  return [readTool(files), writeTool(files), listTool(files), searchTool(files)]
}
