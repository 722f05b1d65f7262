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
} from '../rules/field-rule.ts'
import { goDuration } from './go-duration.ts'
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
      reason: 'names of `models` with what they say; auto is the default model',
    },
    putModel,
  ),
  fallback: rule({ status: 'translated', to: 'model', reason: 'behind the model of the agent' }, putFallback),
  sub_agents: rule({ status: 'translated', to: 'agents' }, putChildren),
  handoffs: rule(
    {
      status: 'translated',
      to: 'agents',
      reason: 'they answer their caller, who goes on; those that lead back to it are left out',
    },
    putChildren,
  ),
  toolsets: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putToolsets),
  max_iterations: rule({ status: 'translated', to: 'limits.maxTurns' }, (value, { rewriter, from }) => {
    if (value === 0) return ignored('0 is without a limit there; here a run always has one')
    rewriter.put(['limits', 'maxTurns'], value, from)
    return undefined
  }),
  structured_output: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['schema']
    if (schema === undefined) return ignored('it has no schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    return undefined
  }),
  readonly: rule(
    {
      status: 'translated',
      to: 'tools',
      reason: 'true: neither writing nor the shell, and each call of an MCP server asks a person',
    },
    (value, { grant, from }) => {
      if (value === true) grant.refuse(['filesystem.write', 'shell.execute'], from)
      return undefined
    },
  ),
  budget: rule({ status: 'translated', to: 'limits.maxCost, limits.maxTokens, limits.timeout' }, putBudget),
  budgets: drop('a budget holds for an agent and everything below it; see `limits`'),
  permissions: rule({ status: 'translated', to: 'permissions' }, () => undefined),
  models: drop('read where an agent names one of them'),
  mcps: drop('read where a toolset refers to one of them'),
  default: keep(),
  instruction_file: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'files below the folder of the file, one after the other',
    },
    () => undefined,
  ),
  welcome_message: drop('a run begins with what its caller says'),
  add_date: drop('write it into the prompt'),
  add_environment_info: drop('write it into the prompt'),
  add_prompt_files: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'behind the prompt; files below the folder of the file',
    },
    () => undefined,
  ),
  add_prompt_files_depth: drop('write it into the prompt'),
  add_description_parameter: drop('the arguments of a tool are those of its schema'),
  commands: drop('there are no commands'),
  use_commands: drop('there are no commands'),
  skills: drop('skills are found by folder here; see `skills`'),
  use_skills: drop('skills are found by folder here; see `skills`'),
  use_toolsets: dropWithWarning('shared toolsets are not read; write them into the agent'),
  hooks: dropWithWarning('its hooks are shell commands of docker-agent; write them as `toolHooks`'),
  safety: dropWithWarning('see `permissions` and `toolPermission`'),
  redact_secrets: dropWithWarning('write a hook that does it, and name it in `toolHooks`'),
  pipeline: dropWithWarning('write a card with `type: chain` that names the agents'),
  force_handoff: dropWithWarning('an agent decides itself whom it calls'),
  rag: drop('name an MCP server that searches'),
  runtime: dropWithWarning('an agent runs in this program, without a sandbox; see `permissions`'),
  harness: dropWithWarning('the agent runs in this program'),
  code_mode_tools: drop('tools are called one by one'),
  cache: drop('answers are not kept'),
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
  if (names === undefined) return ignored('it is no list of names')
  for (const { text, at } of names) {
    if (text === '') continue
    const isElsewhere = /:\/\//u.test(text) || (/[/:]/u.test(text) && !/\.ya?ml$/u.test(text))
    if (!isElsewhere) addToList(rewriter, { to: ['agents'], values: [text], from: at })
    else
      rewriter.addProblem({
        severity: 'warning',
        code: 'agent_unknown',
        message: `\`${dottedPath(at)}\`: "${text}" lies in a registry or at an address; agents are not loaded from there.`,
        at,
        fix: 'Save it as a file beside this one, and name the file.',
      })
  }
  return undefined
}
