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
  /** The location of a rule written outside the card: path from the folder of the card, and line, such as `../settings.json:4`. Used only in messages. */
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

/** A decision on a tool or on a call. */
export type PermissionDecision = 'allow' | 'ask' | 'deny'

/** The decision of the rules on one call. A refusal says why, and so does a question about the arguments: its answer holds for this call alone. */
export type CallPermission =
  | { readonly decision: 'allow' }
  | { readonly decision: 'ask'; readonly reason?: string }
  | { readonly decision: 'deny'; readonly failure: Failure }

/** The rules of an agent, and of all agents above it, ready to be applied. */
export interface PermissionPolicy {
  /** Returns the decision on calls that no argument rule matches; `deny` if every call is denied. */
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
