import type { Json } from '@troupe/schema'
import { type FieldContext, type FieldOutcome, addToList, dottedPath, textList } from '@troupe/cards/formats'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  ignored,
  keep,
  rule,
  type FieldRule,
  type FieldRules,
  mappingOf,
  refuse,
} from '../rules/field-rule.ts'
import { putCommands } from './put-commands.ts'
import { putBudget, putBudgets, putSkills, reportMissingGroups } from './put-groups.ts'
import { putCompactionModel, putFallback, putModel, toThreshold } from './put-models.ts'
import { SEARCH_REASON } from './docker-keys.ts'
import { putToolsets } from './put-toolsets.ts'

/** Rules for the keys of an agent. */
export const DOCKER_RULES: FieldRules = {
  name: keep(),
  description: keep(),
  instruction: keep(),
  model: rule(
    {
      status: 'translated',
      to: 'model',
      reason: 'names from `models` are resolved; `auto` is the default model',
    },
    putModel,
  ),
  fallback: rule(
    { status: 'translated', to: 'model', reason: 'added as fallback of the model' },
    putFallback,
  ),
  sub_agents: rule({ status: 'translated', to: 'agents' }, putChildren),
  handoffs: rule(
    {
      status: 'translated',
      to: 'agents',
      reason:
        'each becomes a child that returns its answer to the caller; handoffs back to the caller are removed',
    },
    putChildren,
  ),
  toolsets: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putToolsets),
  max_iterations: rule({ status: 'translated', to: 'limits.maxTurns' }, (value, { rewriter, from }) => {
    if (value === 0) return ignored('0 means unlimited there; a Troupe run always has a limit')
    rewriter.put(['limits', 'maxTurns'], value, from)
    return undefined
  }),
  structured_output: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['schema']
    if (schema === undefined) return ignored('it contains no schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    return undefined
  }),
  readonly: rule(
    {
      status: 'translated',
      to: 'tools',
      reason: 'true: no write tools and no shell, and each MCP call needs approval',
    },
    (value, { grant, from }) => {
      if (value === true) grant.refuse(['filesystem.write', 'shell.execute'], from)
      return undefined
    },
  ),
  budget: rule({ status: 'translated', to: 'limits.maxCost, limits.maxTokens, limits.timeout' }, putBudget),
  budgets: rule(
    {
      status: 'translated',
      to: 'limits.maxCost, limits.maxTokens, limits.timeout',
      reason: 'for each run of the agent with its children; agents do not share a budget',
    },
    putBudgets,
  ),
  permissions: rule({ status: 'translated', to: 'permissions' }, () => undefined),
  models: drop('it has no effect by itself; agents refer to it'),
  mcps: drop('it has no effect by itself; toolsets refer to it'),
  providers: drop('it has no effect by itself; models refer to it'),
  default: keep(),
  instruction_file: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'files below the folder of the file, joined in order',
    },
    () => undefined,
  ),
  welcome_message: drop('a run starts with the input of its caller'),
  add_date: appended('the date on which the file is loaded'),
  add_environment_info: appended('the working folder, the operating system and the processor'),
  add_prompt_files: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'appended to the prompt; files below the folder of the file',
    },
    () => undefined,
  ),
  add_prompt_files_depth: dropUnlessOff('files are only read from the paths given'),
  add_description_parameter: drop('the schema of a tool defines its arguments'),
  commands: rule(
    {
      status: 'translated',
      to: 'exports.tools',
      reason: 'each is a tool that sends its prompt to the agent',
    },
    putCommands,
  ),
  use_commands: rule(
    { status: 'translated', to: 'exports.tools', reason: 'commands of the file' },
    reportMissingGroups,
  ),
  skills: rule(
    { status: 'translated', to: 'skills', reason: 'those that the file defines; others cause a warning' },
    putSkills,
  ),
  use_skills: rule({ status: 'translated', to: 'skills', reason: 'skills of the file' }, reportMissingGroups),
  use_toolsets: rule(
    { status: 'translated', to: 'mcpServers, runtimeTools, tools', reason: 'toolsets of the file' },
    reportMissingGroups,
  ),
  hooks: dropWithWarning('hooks are shell commands in docker-agent; write them as `toolHooks`'),
  safety: rule(
    {
      status: 'translated',
      to: 'toolPermission',
      reason: 'strict: every call needs approval; others cause a warning',
    },
    (value, field) => {
      if (value === 'balanced') return ignored('it is the default')
      if (value === 'strict') {
        field.rewriter.put(['toolPermission'], 'always', field.from)
        return undefined
      }
      dropWithWarning('a person decides about calls that need approval').apply?.(value, field)
      return ignored('a person decides about calls that need approval')
    },
  ),
  redact_secrets: dropUnlessOff('write a hook for it and list it in `toolHooks`'),
  pipeline: dropWithWarning('write a card with `type: chain` that lists the agents'),
  workflow: dropWithWarning('write a card with `type: chain` that lists the agents'),
  tool_choice: dropWithWarning('the model decides whether it calls a tool'),
  inject_memories: dropUnlessOff('the agent reads its notes with the memory tools'),
  max_inject_memories: drop('it has no effect by itself'),
  inject_memories_strategy: drop('it has no effect by itself'),
  enable_bang_commands: drop('it only affects the docker-agent interface'),
  force_handoff: rule(
    {
      status: 'translated',
      to: 'fanIn',
      reason: 'the agent reads the request and the answer, and its answer counts',
    },
    (value, { rewriter, from }) => {
      rewriter.put(['fanIn'], value, from)
      return undefined
    },
  ),
  rag: refuse(SEARCH_REASON, 'Remove it, and give the agent an MCP server for search.'),
  runtime: dropWithWarning('agents run in the Troupe process, without a sandbox; see `permissions`'),
  harness: refuse(
    'the agent runs in another program, which Troupe does not start',
    'Remove it, and set a `model`.',
  ),
  code_mode_tools: drop('tools are called individually'),
  cache: drop('answers are not stored'),
  max_consecutive_tool_calls: dropWithWarning('repeated calls are only limited by `limits.maxTurns`'),
  max_old_tool_call_tokens: dropUnlessOff(
    'old results are only shortened if the conversation grows too long; see `context`',
  ),
  max_tool_result_tokens: rule(
    { status: 'translated', to: 'limits.maxToolResultBytes' },
    (value, { rewriter, from }) => {
      if (typeof value !== 'number' || value <= 0) return ignored('there is no limit')
      rewriter.put(['limits', 'maxToolResultBytes'], value * BYTES_PER_TOKEN, from)
      return undefined
    },
  ),
  num_history_items: dropUnlessOff('see `context.keepTurns`'),
  session_compaction: rule(
    {
      status: 'translated',
      to: 'context.strategy',
      reason: 'false: a conversation that grows too long is an error',
    },
    (value, { rewriter, from }) => {
      if (value !== false) return ignored('it is the default')
      rewriter.put(['context', 'strategy'], 'fail', from)
      return undefined
    },
  ),
  compaction_threshold: rule(
    { status: 'translated', to: 'context.threshold' },
    (value, { rewriter, from }) => {
      if (rewriter.get(['context', 'threshold']) !== undefined) return ignored('that of the model counts')
      rewriter.put(['context', 'threshold'], toThreshold(value), from)
      return undefined
    },
  ),
  compaction_model: rule({ status: 'translated', to: 'context.model' }, putCompactionModel),
}

/** docker-agent counts four bytes for each token. */
const BYTES_PER_TOKEN = 4

/** Creates a rule for a key that adds text to the prompt if it is true. */
function appended(reason: string): FieldRule {
  return rule({ status: 'translated', to: 'instruction', reason }, (value) =>
    value === true ? undefined : ignored('it is off'),
  )
}

/** Adds `sub_agents` or `handoffs`: other agents of the file, and files beside it. */
function putChildren(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const names = textList(value, from)
  if (names === undefined) return ignored('it is not a list of names')
  for (const { text, at } of names) {
    if (text === '') continue
    const isElsewhere = /:\/\//u.test(text) || (/[/:]/u.test(text) && !/\.ya?ml$/u.test(text))
    if (!isElsewhere) addToList(rewriter, { to: ['agents'], values: [text], from: at })
    else
      rewriter.addProblem({
        severity: 'warning',
        code: 'agent_unknown',
        message: `\`${dottedPath(at)}\`: "${text}" refers to a registry or a URL; agents are only loaded from files.`,
        at,
        fix: 'Save the agent as a file next to this one, and use the file name.',
      })
  }
  return undefined
}
