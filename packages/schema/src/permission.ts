import type { Failure } from './errors.ts'
import type { JsonObject, MaybePromise } from './json.ts'
import type { ToolDefinition } from './tool.ts'

/** A rule for those calls of a tool whose argument matches a pattern. */
export interface ArgumentRule {
  /** A glob of canonical tool names. */
  readonly tool: string
  /** The argument that is compared. A tool without it cannot be judged: a deny rule then denies the whole tool. */
  readonly argument: string
  /** `*` stands for any text, `?` for one character. What is compared depends on the argument: see `RuleArgument`. */
  readonly pattern: string
  /** Patterns of calls that the rule leaves alone. */
  readonly except?: readonly string[]
  /** Where a rule stands that was written outside of the card: the path from the folder of the card, and the line, as in `../settings.json:4`. For messages only. */
  readonly source?: string
}

/** A glob of canonical tool names, or a rule for some calls of a tool. */
export type PermissionRule = string | ArgumentRule

/** The rules of an agent: deny beats ask beats allow. Deny and ask ignore case, allow does not. */
export interface PermissionRules {
  readonly deny: readonly PermissionRule[]
  readonly ask: readonly PermissionRule[]
  readonly allow: readonly PermissionRule[]
}

/** What rules can say of a tool or of a call. */
export type PermissionDecision = 'allow' | 'ask' | 'deny'

/** What the rules say of one call; a refusal says why. */
export type CallPermission =
  | { readonly decision: 'allow' | 'ask' }
  | { readonly decision: 'deny'; readonly failure: Failure }

/** The rules of an agent, and of all agents above it, ready to be applied. */
export interface PermissionPolicy {
  /** Decides on a tool before there is a call: `deny` if no call of it may run, `ask` if it depends on the call. */
  ofTool(tool: ToolDefinition): PermissionDecision
  /** Decides on one call, with the arguments that will run. Never throws, never rejects. */
  ofCall(tool: ToolDefinition, args: JsonObject): MaybePromise<CallPermission>
}

/** A program with its arguments, as a call will start it. */
export interface CommandLine {
  readonly words: readonly string[]
  /** True if the program also reads input from the call, which no rule sees. */
  readonly hasInput: boolean
}

/** The files that a call will reach. */
export interface ReachedPaths {
  /** The root folder of the tool, absolute. */
  readonly root: string
  /** Absolute, with `/`: the path as written, and the path with all links followed. */
  readonly paths: readonly string[]
  /** True for a folder whose files the call reads. */
  readonly isTree: boolean
}

/** How rules read an argument that is more than text. May throw: the call then fails with that reason. */
export type RuleArgument =
  | { readonly kind: 'command'; read(args: JsonObject): MaybePromise<CommandLine> }
  | {
      readonly kind: 'path'
      /** True for a tool that can read all files of a folder. */
      readonly readsFolders?: boolean
      read(args: JsonObject): MaybePromise<ReachedPaths>
    }
