import { methods, type AgentContext, type ClientCapabilities } from '@agentclientprotocol/sdk'
import type { GuardedFolder } from '@troupe/runtime'
import {
  clientToolName,
  defineTool,
  toolResult,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import type { CommandLine } from '@troupe/schema/ports'
import { correlationId } from '@troupe/timeline'
import { z } from 'zod'
import { COMMAND_TOOL, READ_TOOL, WRITE_TOOL, type CallContent } from './session-updates.ts'

/** Dependencies of the tools of an editor. */
interface EditorToolsContext {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  readonly sessionId: string
  /** Working folder of the session, which the tools are confined to. */
  readonly folder: GuardedFolder
  /** Shows content of a tool call in the editor. */
  show(toolCallId: string, content: CallContent): void
}

/** The tools of an editor. */
export interface EditorTools {
  readonly tools: readonly ToolDefinition[]
  /** Returns what to show while a call waits for approval; `undefined` if there is nothing more than its arguments. */
  preview(toolName: string, args: JsonObject): Promise<CallContent | undefined>
}

/** Maximum bytes of the output of a command. */
const MAX_OUTPUT = 200_000
const PATH = 'Relative to the working folder, or absolute inside it'

/**
 * Creates the tools for what an editor can do: reading and writing files, with their unsaved changes, and running
 * commands in its terminals. Each call needs approval unless the card allows it.
 */
export function createEditorTools(context: EditorToolsContext): EditorTools {
  const { fs = {}, terminal = false } = context.capabilities
  const canRead = fs.readTextFile === true
  const { folder } = context
  return {
    tools: [
      ...(canRead ? [readTool(context)] : []),
      ...(fs.writeTextFile === true ? [writeTool(context, { canRead })] : []),
      ...(terminal ? [commandTool(context)] : []),
    ],
    async preview(toolName, args) {
      if (toolName !== clientToolName(WRITE_TOOL)) return undefined
      const { path, content } = args as { readonly path: string; readonly content: string }
      try {
        return await diff(context, { path: await folder.locate(path, 'write'), content, canRead })
      } catch {
        // the call itself fails with the reason
        return undefined
      }
    },
  }
}

function readTool({ client, sessionId, folder, show }: EditorToolsContext): ToolDefinition {
  const tool = defineTool({
    name: READ_TOOL,
    description: 'Reads a text file in the editor of the user, with its unsaved changes.',
    input: z.strictObject({
      path: z.string().min(1).describe(PATH),
      line: z.int().min(1).optional().describe('First line to read, counted from 1'),
      limit: z.int().min(1).optional().describe('Maximum number of lines'),
    }),
    effect: 'read',
    requiresApproval: true,
    capabilities: ['reads_private'],
    async execute({ path: wanted, line, limit }, call) {
      const path = await folder.locate(wanted, 'read')
      const from = line === undefined ? {} : { line }
      show(callIdOf(call), { locations: [{ path, ...from }] })
      const { content } = await client.request(
        methods.client.fs.readTextFile,
        { sessionId, path, ...from, ...(limit === undefined ? {} : { limit }) },
        { cancellationSignal: call.signal, stopWaitingOnCancel: true },
      )
      return content
    },
  })
  return { ...tool, ruleArguments: { path: folder.pathArgument } }
}

function writeTool(context: EditorToolsContext, { canRead }: { readonly canRead: boolean }): ToolDefinition {
  const { client, sessionId, folder, show } = context
  const tool = defineTool({
    name: WRITE_TOOL,
    description: 'Writes a whole text file in the editor of the user, who sees the changes.',
    input: z.strictObject({ path: z.string().min(1).describe(PATH), content: z.string() }),
    effect: 'once',
    requiresApproval: true,
    capabilities: ['destructive'],
    async execute({ path: wanted, content }, call) {
      const path = await folder.locate(wanted, 'write')
      show(callIdOf(call), await diff(context, { path, content, canRead }))
      await client.request(
        methods.client.fs.writeTextFile,
        { sessionId, path, content },
        { cancellationSignal: call.signal, stopWaitingOnCancel: true },
      )
      return `Wrote ${path}.`
    },
  })
  return { ...tool, ruleArguments: { path: folder.pathArgument } }
}

/** Returns the change of a file as the editor shows it. */
async function diff(
  { client, sessionId, folder }: EditorToolsContext,
  { path, content, canRead }: { readonly path: string; readonly content: string; readonly canRead: boolean },
): Promise<CallContent> {
  const readOld = async (): Promise<string | null> => {
    if (!canRead) return null
    try {
      await folder.locate(path, 'read')
      return (await client.request(methods.client.fs.readTextFile, { sessionId, path })).content
    } catch {
      // the file is new, or the editor does not show it
      return null
    }
  }
  return {
    content: [{ type: 'diff', path, oldText: await readOld(), newText: content }],
    locations: [{ path }],
  }
}

function commandTool({ client, sessionId, folder, show }: EditorToolsContext): ToolDefinition {
  const tool = defineTool({
    name: COMMAND_TOOL,
    description:
      'Runs a program in a terminal of the editor of the user, and returns its output and exit code.',
    input: z.strictObject({
      command: z.string().min(1).describe('The program, such as "git"'),
      args: z.array(z.string()).max(1000).default([]),
      cwd: z.string().min(1).default('.').describe(PATH),
    }),
    effect: 'once',
    requiresApproval: true,
    capabilities: ['reads_private', 'reads_untrusted', 'egress', 'destructive'],
    async execute({ command, args, cwd: wanted }, call): Promise<ToolResult> {
      const cwd = await folder.locate(wanted, 'read')
      const request = { sessionId, command, args, cwd, outputByteLimit: MAX_OUTPUT }
      const terminal = await client.createTerminal(request)
      const terminalId = terminal.id
      try {
        show(callIdOf(call), { content: [{ type: 'terminal', terminalId }] })
        call.signal.throwIfAborted()
        const { exitCode, signal } = await client.request(
          methods.client.terminal.waitForExit,
          { sessionId, terminalId },
          { cancellationSignal: call.signal, stopWaitingOnCancel: true },
        )
        const { output, truncated } = await terminal.currentOutput()
        const how =
          typeof exitCode === 'number' ? `exit code ${exitCode}` : `ended by ${signal ?? 'a signal'}`
        const cut = truncated ? ['[The beginning of the output is missing.]'] : []
        return toolResult.text([how, ...cut, output.trimEnd()].join('\n'))
      } finally {
        if (call.signal.aborted) await terminal.kill().catch(ignoreFailure)
        await terminal.release().catch(ignoreFailure)
      }
    },
  })
  return { ...tool, ruleArguments: { command: { kind: 'command', read: readCommand } } }
}

function ignoreFailure(): void {
  // the editor ends the terminals of a session that it closes
}

/** Reads a command for permission rules, as text for a shell, because some editors pass it to one. */
function readCommand(args: JsonObject): CommandLine {
  const { command, args: rest } = args as { readonly command: string; readonly args: readonly string[] }
  return { words: [], shellText: [command, ...rest].join(' '), hasInput: false }
}

function callIdOf({ run, site }: ToolContext): string {
  return correlationId(run.request.runId, site.callId)
}
