import type { Json } from '@troupe/schema'
import { type FieldContext, type FieldOutcome, textList } from '@troupe/cards/formats'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  type FieldRule,
  type FieldRules,
  ignored,
  move,
  rule,
  translated,
} from '../rules/field-rule.ts'
import { type NestedKeys } from '../rules/nested-keys.ts'
import { putServer } from '../rules/server-keys.ts'

const PYTHON = 'it is set in Python, which is not run'

/** Rules for the keys of an agent. */
export const CREWAI_RULES: FieldRules = {
  role: rule({ status: 'translated', to: 'instruction' }, () => undefined),
  goal: rule({ status: 'translated', to: 'description, instruction' }, () => undefined),
  backstory: rule({ status: 'translated', to: 'instruction' }, () => undefined),
  llm: move(['model']),
  max_iter: move(['limits', 'maxTurns']),
  max_execution_time: move(['limits', 'timeout'], {
    convert: (value) => (typeof value === 'number' ? value * 1000 : undefined),
  }),
  max_retry_limit: move(['limits', 'maxRetries']),
  mcps: rule(
    {
      status: 'translated',
      to: 'mcpServers',
      reason: 'addresses; servers of the CrewAI platform cause a warning',
    },
    putServers,
  ),
  tools: dropWithWarning('tools of CrewAI are Python; give the agent MCP servers or functions'),
  apps: dropWithWarning('apps belong to the CrewAI platform'),
  knowledge_sources: dropWithWarning('Troupe has no search in documents; give the agent an MCP server'),
  guardrail: dropWithWarning('answers are only checked against `output`'),
  step_callback: dropWithWarning(PYTHON),
  system_template: dropWithWarning('the prompt is made of `role`, `goal` and `backstory`'),
  prompt_template: dropWithWarning('the prompt is made of `role`, `goal` and `backstory`'),
  response_template: dropWithWarning('the prompt is made of `role`, `goal` and `backstory`'),
  function_calling_llm: dropWithWarning('an agent uses one model'),
  allow_delegation: dropUnlessOff('an agent calls the agents listed in `agents`'),
  allow_code_execution: dropUnlessOff('Troupe runs no code of the model'),
  memory: dropUnlessOff('write a Troupe card with `memory`'),
  reasoning: dropUnlessOff('see `reasoning`'),
  inject_date: dropUnlessOff('write the date in the prompt'),
  use_system_prompt: dropUnlessOn('the prompt is always sent as a system prompt'),
  multimodal: dropUnlessOff('attachments are part of the message of the caller'),
  max_rpm: drop('see `requestsPerMinute` of the provider in troupe.json'),
  verbose: drop('see `--verbose`'),
  cache: drop('answers are not stored'),
  respect_context_window: drop('see `context`'),
  code_execution_mode: drop('it has no effect by itself'),
  date_format: drop('it has no effect by itself'),
  max_reasoning_attempts: drop('it has no effect by itself'),
  embedder: drop('it has no effect by itself'),
}

/** Keys of a task. */
export const TASK_KEYS: NestedKeys = {
  description: translated('instruction'),
  expected_output: translated('instruction'),
  agent: translated('sequence', 'a task without an agent is an error'),
  context: translated('cumulative', 'each task reads the answers of all tasks before it'),
  markdown: translated('instruction'),
  name: drop('a task is named by its key'),
  config: dropWithWarning(PYTHON),
  tools: dropWithWarning('tools of CrewAI are Python; give the agent MCP servers or functions'),
  guardrail: dropWithWarning('answers are only checked against `output`'),
  guardrails: dropWithWarning('answers are only checked against `output`'),
  human_input: { ...dropWithWarning('no person reviews the answer of a task'), isHarmless: isFalse },
  async_execution: { ...dropWithWarning('tasks run one after the other'), isHarmless: isFalse },
  output_file: dropWithWarning('answers are not written to files'),
  create_directory: drop('it has no effect by itself'),
  output_json: dropWithWarning(PYTHON),
  output_pydantic: dropWithWarning(PYTHON),
  response_model: dropWithWarning(PYTHON),
  converter_cls: dropWithWarning(PYTHON),
  callback: dropWithWarning(PYTHON),
  max_retries: drop('it has no effect without a guardrail'),
  guardrail_max_retries: drop('it has no effect without a guardrail'),
}

/** Creates a rule for a key that causes a warning if it is false. */
function dropUnlessOn(reason: string): FieldRule {
  const warning = dropWithWarning(reason)
  return {
    ...warning,
    apply: (value, field) => (value === false ? warning.apply?.(value, field) : ignored('it is the default')),
  }
}

function isFalse(value: Json): boolean {
  return value === false
}

/** Adds the servers in `mcps`: addresses, with a tool behind `#`. */
function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const { text, at } of textList(value, field.from) ?? []) {
    const [url = '', tool] = text.split('#')
    if (!/^https?:\/\//u.test(url)) {
      dropWithWarning(`"${text}" belongs to the CrewAI platform`).apply?.(text, { ...field, from: at })
      continue
    }
    const name = url
      .replace(/^https?:\/\/|[?#].*$/gu, '')
      .replaceAll(/[^A-Za-z0-9]+/gu, '-')
      .replaceAll(/^-|-$/gu, '')
    putServer(name, { type: 'http', url }, { field, at })
    field.grant.allowServer(name, at, [tool ?? '*'])
  }
  return undefined
}
