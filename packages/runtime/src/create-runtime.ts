import { createContainmentProbe, type Containment } from '@troupe/process'
import type { AgentDefinition, Clock, Limits, ToolDefinition } from '@troupe/schema'
import { filesystemTools, type Filesystem } from './filesystem/filesystem.ts'
import { createRootFolder } from './filesystem/root-folder.ts'
import { createTeamGuard, type TeamFiles, type TeamGuard } from './filesystem/team-files.ts'
import { HUMAN_TOOL } from './tools/human-tool.ts'
import { SHARED_TOOLS } from './tools/shared-tools.ts'
import { createRunningCommands } from './shell/run-command.ts'
import { shellTool } from './shell/shell-tool.ts'
import type { Skill } from './skills/load-skills.ts'
import { skillTool } from './skills/skill-tool.ts'

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
}

/** The built-in tools of a team. */
export interface Runtime {
  /** Returns the tools that an agent requests with `runtimeTools`, plus `skill.read` if it has skills. */
  tools(
    agent: Pick<AgentDefinition, 'runtimeTools'> & { readonly limits: Pick<Limits, 'toolTimeout'> },
    skills: readonly Skill[],
  ): readonly ToolDefinition[]
  /** Waits for commands of finished runs to end. */
  close(): Promise<void>
  /** Kills all running commands immediately. */
  kill(): void
}

/** Creates the built-in tools for one root folder. Opens nothing until a tool is called. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { root: path, team, baseEnv, clock, containment = createContainmentProbe() } = options
  const root = createRootFolder(path)
  const running = createRunningCommands()
  let guard: TeamGuard | undefined
  const files: Filesystem = {
    root,
    guard: async () => (guard ??= createTeamGuard(team, await root.real())),
  }
  const filesystem = filesystemTools(files)
  const shell = { root, baseEnv, clock, running, containment }
  return {
    tools: ({ runtimeTools, limits }, skills) => {
      if (runtimeTools.length + skills.length === 0) return []
      return [
        ...(runtimeTools.includes('filesystem') ? filesystem : []),
        ...(runtimeTools.includes('shell') ? [shellTool(shell, limits)] : []),
        ...(runtimeTools.includes('human') ? [HUMAN_TOOL] : []),
        ...(skills.length > 0 ? [skillTool(skills, { includesFolder: runtimeTools.includes('shell') })] : []),
        ...(runtimeTools.includes('shared') ? SHARED_TOOLS : []),
      ]
    },
    close: () => running.waitForAll(),
    kill: () => running.kill(),
  }
}
