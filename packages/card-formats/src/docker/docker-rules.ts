import type { Json } from '@troupe/schema'
import { type FieldContext, type FieldOutcome, addToList, dottedPath, textList } from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  keep,
  rule,
  type FieldRules,
  mappingOf,
  refuse,
} from '../rules/field-rule.ts'
import { goDuration } from './go-duration.ts'
import { putCommands } from './put-commands.ts'
import { putFallback, putModel } from './put-models.ts'
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
  budgets: drop('a budget applies to an agent and its children; see `limits`'),
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
  add_date: drop('write it in the prompt'),
  add_environment_info: drop('write it in the prompt'),
  add_prompt_files: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'appended to the prompt; files below the folder of the file',
    },
    () => undefined,
  ),
  add_prompt_files_depth: drop('files are only read from the paths given'),
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
    () => undefined,
  ),
  skills: drop('Troupe finds skills by folder; see `skills`'),
  use_skills: drop('Troupe finds skills by folder; see `skills`'),
  use_toolsets: dropWithWarning('shared toolsets are not supported; define them in the agent'),
  hooks: dropWithWarning('hooks are shell commands in docker-agent; write them as `toolHooks`'),
  safety: dropWithWarning('see `permissions` and `toolPermission`'),
  redact_secrets: dropWithWarning('write a hook for it and list it in `toolHooks`'),
  pipeline: dropWithWarning('write a card with `type: chain` that lists the agents'),
  force_handoff: dropWithWarning('an agent decides which agents it calls'),
  rag: refuse(
    'Troupe has no search in documents (RAG)',
    'Remove it, and give the agent an MCP server for search.',
  ),
  runtime: dropWithWarning('agents run in the Troupe process, without a sandbox; see `permissions`'),
  harness: dropWithWarning('agents run in the Troupe process'),
  code_mode_tools: drop('tools are called individually'),
  cache: drop('answers are not stored'),
  max_consecutive_tool_calls: drop('see `limits`'),
  max_old_tool_call_tokens: drop('see `context`'),
  max_tool_result_tokens: drop('see `limits.maxToolResultBytes`'),
  num_history_items: drop('see `context`'),
  session_compaction: drop('see `context`'),
  compaction_threshold: drop('see `context`'),
  compaction_model: drop('see `context`'),
}

function putBudget(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const { max_cost: maxCost, max_tokens: maxTokens, max_time: time } = mappingOf(value)
  const limits = { maxCost, maxTokens, timeout: goDuration(time) ?? time }
  for (const [to, limit] of Object.entries(limits)) {
    // 0 means no limit in docker-agent.
    if (limit !== undefined && limit !== 0) rewriter.put(['limits', to], limit, from)
  }
  return undefined
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
