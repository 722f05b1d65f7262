import { createContainmentProbe, type Containment } from '@troupe/process'
import { createSafeFetch, type SafeFetch } from '@troupe/fetch'
import type { AgentDefinition, Clock, Limits, ToolDefinition, WriteTarget } from '@troupe/schema'
import { filesystemTools, type Filesystem } from './filesystem/filesystem.ts'
import { createGuardedFolder, type GuardedFolder } from './filesystem/guarded-folder.ts'
import { createRootFolder } from './filesystem/root-folder.ts'
import { createTeamGuard, type TeamFiles, type TeamGuard } from './filesystem/team-files.ts'
import { readWriteTarget } from './filesystem/write-target.ts'
import { memoryTools } from './memory/memory-tools.ts'
import { HUMAN_TOOL } from './tools/human-tool.ts'
import { SHARED_TOOLS } from './tools/shared-tools.ts'
import { createRunningCommands } from './shell/run-command.ts'
import { shellTool } from './shell/shell-tool.ts'
import type { Skill } from './skills/load-skills.ts'
import { skillTool } from './skills/skill-tool.ts'
import { TODO_TOOLS } from './tools/todo-tools.ts'
import { fetchTool, type FetchPermissions } from './web/fetch-tool.ts'
import type { SearchConfig } from './web/search-providers.ts'
import { webSearchTool } from './web/search-tool.ts'

/** Dependencies of a team's built-in tools. Nothing is read from the process. */
export interface RuntimeOptions {
  /** Absolute path of the folder that file tools and the shell work in. It need not exist yet. */
  readonly root: string
  /** Files that file tools must not write or read. */
  readonly team: TeamFiles
  /** The environment of the app. Commands inherit only an allow-list of its variables. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /**
   * Returns how commands and their descendants are contained. Default: the strongest method the machine
   * supports.
   */
  readonly containment?: () => Promise<Containment>
  /** Addresses that `web.fetch` may reach beyond public https addresses. Default: nothing. */
  readonly fetch?: FetchPermissions
  /** The provider of `web.search`. Without one, agents do not get the tool. */
  readonly search?: SearchConfig
  readonly safeFetch?: SafeFetch
}

/** The built-in tools of a team. */
export interface Runtime {
  /**
   * Returns the tools that an agent requests with `runtimeTools`, plus `skill.read` if it has skills, and those
   * for notes if it names a folder for them.
   */
  tools(
    agent: Pick<AgentDefinition, 'runtimeTools' | 'memory'> & {
      readonly limits: Pick<Limits, 'toolTimeout'>
    },
    skills: readonly Skill[],
  ): readonly ToolDefinition[]
  /** Reads the file that a call of `filesystem.write` would change, for the person who decides on the call. */
  writeTarget(path: string): Promise<WriteTarget>
  /** Returns another folder that the rules of the file tools apply to. */
  folder(path: string): GuardedFolder
  /** Waits for commands of finished runs to end. */
  close(): Promise<void>
  /** Kills all running commands immediately. */
  kill(): void
}

/** Creates the built-in tools for one root folder. Opens nothing until a tool is called. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { root: path, team, baseEnv, clock, containment = createContainmentProbe(), search } = options
  const root = createRootFolder(path)
  const running = createRunningCommands()
  let guard: TeamGuard | undefined
  const files: Filesystem = {
    root,
    guard: async () => (guard ??= createTeamGuard(team, await root.real())),
  }
  const filesystem = filesystemTools(files)
  const shell = { root, baseEnv, clock, running, containment }
  const safeFetch = options.safeFetch ?? createSafeFetch({ clock })
  const fetch = fetchTool({ safeFetch, clock, permissions: options.fetch ?? {} })
  const searches = search === undefined ? [] : [webSearchTool(search, safeFetch)]
  return {
    tools: ({ runtimeTools, memory, limits }, skills) => {
      if (runtimeTools.length + skills.length === 0 && memory === undefined) return []
      return [
        ...(runtimeTools.includes('filesystem') ? filesystem : []),
        ...(runtimeTools.includes('shell') ? [shellTool(shell, limits)] : []),
        ...(runtimeTools.includes('human') ? [HUMAN_TOOL] : []),
        ...(skills.length > 0 ? [skillTool(skills, { includesFolder: runtimeTools.includes('shell') })] : []),
        ...(runtimeTools.includes('shared') ? SHARED_TOOLS : []),
        ...(runtimeTools.includes('fetch') ? [fetch] : []),
        ...(runtimeTools.includes('search') ? searches : []),
        ...(runtimeTools.includes('todo') ? TODO_TOOLS : []),
        ...(runtimeTools.includes('memory') || memory !== undefined ? memoryTools(files, memory) : []),
      ]
    },
    writeTarget: (file) => readWriteTarget(files, file),
    folder: (folder) => createGuardedFolder(folder, team),
    close: () => running.waitForAll(),
    kill: () => running.kill(),
  }
}
