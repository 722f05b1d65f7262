import type { Failure } from '../errors/errors.ts'
import type { JsonObject, MaybePromise } from '../text/json.ts'
import type { ToolDefinition } from './tool.ts'

/** A rule for the calls of a tool whose argument matches a pattern. */
export interface ArgumentRule {
  /** A glob of canonical tool names. */
  readonly tool: string
  /** Name of the argument to compare. A deny rule denies the whole tool if it has no such argument. */
  readonly argument: string
  /**
   * Pattern in which `*` matches any text and `?` one character. The compared value depends on the argument,
   * see `RuleArgument`.
   */
  readonly pattern: string
  /** Patterns of calls that are excluded from the rule. */
  readonly except?: readonly string[]
  /**
   * Location of a rule written outside the card: path relative to the folder of the card, and line, such as
   * `../settings.json:4`. Used only in messages.
   */
  readonly source?: string
}

/** A glob of canonical tool names, or a rule for some calls of a tool. */
export type PermissionRule = string | ArgumentRule

/** Permission rules of an agent: deny beats ask beats allow. Deny and ask ignore case, allow does not. */
export interface PermissionRules {
  readonly deny: readonly PermissionRule[]
  readonly ask: readonly PermissionRule[]
  readonly allow: readonly PermissionRule[]
}

/** A decision on a tool or on a call. */
export type PermissionDecision = 'allow' | 'ask' | 'deny'

/**
 * The decision of the rules on one call. `deny` has a failure. An `ask` with a reason is about the arguments,
 * so its answer applies to this call only.
 */
export type CallPermission =
  | { readonly decision: 'allow' }
  | { readonly decision: 'ask'; readonly reason?: string }
  | { readonly decision: 'deny'; readonly failure: Failure }

/** The compiled rules of an agent and of all agents above it. */
export interface PermissionPolicy {
  /** Returns the decision on calls that no argument rule matches; `deny` if every call is denied. */
  ofTool(tool: ToolDefinition): PermissionDecision
  /** Decides on one call, with its final arguments. Never throws and never rejects. */
  ofCall(tool: ToolDefinition, args: JsonObject): Promise<CallPermission>
}

/** The command line that a call will run. */
export interface CommandLine {
  readonly words: readonly string[]
  /** True if the program also reads input from the call, which no rule sees. */
  readonly hasInput: boolean
  /** Text that a shell interprets. `words` is then empty. */
  readonly shellText?: string
}

/** The files that a call will access. */
export interface ReachedPaths {
  /** Absolute path of the tool's root folder. */
  readonly root: string
  /** Absolute paths with `/`: the path as written, and the path with all links resolved. */
  readonly paths: readonly string[]
  /** True for a folder whose files the call reads. */
  readonly isTree: boolean
}

/**
 * Reads an argument that rules compare as a command, a path, a host, or text in one spelling. May throw: the
 * call then fails with that reason.
 */
export type RuleArgument =
  | { readonly kind: 'command'; read(args: JsonObject): MaybePromise<CommandLine> }
  | {
      readonly kind: 'path'
      /** True for a tool that can read all files of a folder. */
      readonly readsFolders?: boolean
      read(args: JsonObject): MaybePromise<ReachedPaths>
    }
  /** The host of a URL: a name or an IP address, which patterns of address ranges also match. */
  | { readonly kind: 'host'; read(args: JsonObject): MaybePromise<string> }
  | { readonly kind: 'text'; read(args: JsonObject): MaybePromise<string> }
