import { createContainmentProbe, type Containment } from '@troupe/process'
import type { AgentDefinition, Clock, Limits, ToolDefinition } from '@troupe/schema'
import { filesystemTools, type Filesystem } from './filesystem/filesystem.ts'
import { createRootFolder } from './filesystem/root-folder.ts'
import { createTeamGuard, type TeamFiles, type TeamGuard } from './filesystem/team-files.ts'
import { HUMAN_TOOL } from './human-tool.ts'
import { SHARED_TOOLS } from './shared-tools.ts'
import { createRunningCommands } from './shell/running-commands.ts'
import { shellTool } from './shell/shell-tool.ts'
import type { Skill } from './skills/skill.ts'
import { skillTool } from './skills/skill-tool.ts'

/** What the built-in tools of a team work with. Nothing is read from the process. */
export interface RuntimeOptions {
  /** The folder that file tools and the shell work in; absolute. It need not exist yet. */
  readonly root: string
  /** What file tools leave alone. */
  readonly team: TeamFiles
  /** The environment of the app, of which commands get an allow-list. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Returns how commands are kept together with what they start. Default: the best that the machine offers. */
  readonly containment?: () => Promise<Containment>
}

/** The built-in tools of a team. */
export interface Runtime {
  /** Those an agent asks for with `runtimeTools`, and `skill.read` where it has skills. */
  tools(
    agent: Pick<AgentDefinition, 'runtimeTools'> & { readonly limits: Pick<Limits, 'toolTimeout'> },
    skills: readonly Skill[],
  ): readonly ToolDefinition[]
  /** Waits for commands whose runs have ended. */
  close(): Promise<void>
  /** Kills all commands, at once. */
  kill(): void
}

/** The built-in tools over one root folder. Nothing is opened before a tool is called. */
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
        ...(skills.length > 0 ? [skillTool(skills, { tellsFolder: runtimeTools.includes('shell') })] : []),
        ...(runtimeTools.includes('shared') ? SHARED_TOOLS : []),
      ]
    },
    close: () => running.settled(),
    kill: () => running.kill(),
  }
}
