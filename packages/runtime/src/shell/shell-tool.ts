import { childEnvironment, type Containment } from '@troupe/process'
import {
  failure,
  toolResult,
  type Clock,
  type Json,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import type { CommandLine } from '@troupe/schema/ports'
import type { RootFolder } from '../filesystem/root-folder.ts'
import { runtimeTool } from '../tools/runtime-tool.ts'
import type { CapturedOutput } from './captured-output.ts'
import { commandLineProgram } from './command-line.ts'
import { runCommand, type CommandResult, type RunningCommands } from './run-command.ts'

const DEFAULT_TIMEOUT = 120_000

/** Dependencies of the shell tool. */
interface ShellContext {
  /** Commands run in this folder or below it. */
  readonly root: RootFolder
  /**
   * The environment of the app. Commands inherit only an allow-list of its variables, so that secrets stay
   * with the app.
   */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly running: RunningCommands
  /** Returns how commands and their descendants are contained. */
  readonly containment: () => Promise<Containment>
}

interface ShellArguments {
  readonly command: string
  /** Absent for a command line. */
  readonly args?: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  readonly stdin?: string
}

/**
 * Creates `shell.execute`, which runs a command line in a shell, or one program with a list of arguments and
 * without a shell. It needs approval unless the card allows it. `toolTimeout` is the agent's limit in ms;
 * commands end a little earlier, so that their output still reaches the model.
 */
export function shellTool(
  shellContext: ShellContext,
  { toolTimeout }: { readonly toolTimeout: number },
): ToolDefinition {
  const maxTimeoutMs = Math.max(1, Math.floor(toolTimeout * 0.9))
  return runtimeTool({
    name: 'shell.execute',
    description:
      'Runs a command line with bash, such as "npm test | tail -20", and returns its output and exit code. With `args`, runs one program instead and passes the arguments unchanged, without a shell. All processes that it started are ended when it exits.',
    inputSchema: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          description: 'The command line; with `args`, just the program, such as "git"',
        },
        args: {
          type: 'array',
          items: { type: 'string' },
          maxItems: 1000,
          description: 'Arguments of the program. Leave out for a command line.',
        },
        cwd: { type: 'string', minLength: 1, default: '.', description: 'Relative to the root folder' },
        timeoutMs: { type: 'integer', minimum: 1, default: Math.min(DEFAULT_TIMEOUT, maxTimeoutMs) },
        stdin: { type: 'string', description: 'Text passed to standard input' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    effect: 'once',
    capabilities: ['reads_private', 'reads_untrusted', 'egress', 'destructive'],
    requiresApproval: true,
    ruleArguments: { command: { kind: 'command', read: readCommand } },
    execute: (args, context) =>
      execute(args as unknown as ShellArguments, { shellContext, maxTimeoutMs, context }),
  })
}

function readCommand(args: JsonObject): CommandLine {
  const { command, args: rest, stdin } = args as unknown as ShellArguments
  const hasInput = stdin !== undefined && stdin !== ''
  return rest === undefined
    ? { words: [], shellText: command, hasInput }
    : { words: [command, ...rest], hasInput }
}

async function execute(
  { command, args, cwd, timeoutMs, stdin }: ShellArguments,
  options: {
    readonly shellContext: ShellContext
    readonly maxTimeoutMs: number
    readonly context: ToolContext
  },
): Promise<ToolResult> {
  const { shellContext, maxTimeoutMs, context } = options
  const location = await shellContext.root.locate(cwd)
  // Opening it verifies that it is a folder inside the root.
  await (await shellContext.root.openFolder(location)).close()
  const limit = Math.min(timeoutMs, maxTimeoutMs)
  const env = childEnvironment(shellContext.baseEnv)
  const program = args === undefined ? await commandLineProgram(command, env) : { command, args }
  const end = await runCommand(
    { ...program, stdin },
    {
      clock: shellContext.clock,
      running: shellContext.running,
      containment: await shellContext.containment(),
      cwd: location.real,
      env,
      timeoutMs: limit,
      signal: context.signal,
    },
  )
  return toResult(end, args === undefined ? 'The command' : command, limit)
}

/** Converts the end of a command to a result. A non-zero exit code is not a failure; the model judges it. */
function toResult(end: CommandResult, command: string, limit: number): ToolResult {
  const { exitCode, endedBy, isTimeout, stdout, stderr } = end
  const text = [...outputOf('stdout', stdout), ...outputOf('stderr', stderr)]
  if (isTimeout) {
    const reason = failure(
      'tool_timeout',
      `${command} was killed after ${limit} ms, with all processes it started.`,
      'Set a larger `timeoutMs`, or give the command less work.',
    )
    return toolResult.failed(reason, text.join('\n'))
  }
  const how = exitCode === null ? `ended by ${endedBy ?? 'a signal'}` : `exit code ${exitCode}`
  return {
    ...toolResult.text([how, ...text].join('\n')),
    structured: { exitCode, signal: endedBy, stdout: outputStats(stdout), stderr: outputStats(stderr) },
  }
}

function outputOf(name: string, output: CapturedOutput): readonly string[] {
  if (output.bytes() === 0) return []
  return [`${name} (${output.bytes()} bytes):`, output.text().trimEnd()]
}

function outputStats(output: CapturedOutput): Json {
  return { bytes: output.bytes(), cut: output.isCut() }
}
