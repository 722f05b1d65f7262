import type { Json } from '@troupe/schema'
import {
  addToList,
  type FieldContext,
  type FieldOutcome,
  type RawCard,
  troupeFormat,
} from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  move,
  rule,
  translated,
  type FieldRule,
  type FieldRules,
  isText,
  textOf,
} from '../rules/field-rule.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { MISSING_TOOLS } from '../rules/tool-mapping.ts'
import { checkKeysOfType, hasDocumentedKeys, typeOf } from './card-types.ts'
import { functionTools, namesPhases, toolHooks } from './functions-and-hooks.ts'
import { renderInstruction } from './instruction.ts'
import { putFastAgentModel } from './models.ts'
import { CONNECTION_ROWS, putConnections } from './mcp-connect.ts'
import { DEFAULT_OPENING, DEFAULT_PROMPT } from './placeholders.ts'
import { fastAgentCodeRoots, fastAgentProjectFiles, hasProject } from './project.ts'
import { putConfiguredServers } from './put-servers.ts'
import { putSettings, SETTING_ROWS } from './put-settings.ts'
import { addShell, hasShell, limitFileTools, SHELL_LOSS } from './put-shell.ts'
import { putDefaultSkills, putSkills } from './put-skills.ts'
import { PARAM_ROWS, putRequestParams } from './request-params.ts'
import { putToolCards, redirectChildren } from './tool-cards.ts'

const REMOTE = MISSING_TOOLS.remote.reason

const HISTORY = 'the history of an agent depends on the session of its caller (see `historyMode`)'
const NO_HISTORY = 'a session keeps its history; each call by another agent starts with none'

/** Creates a rule for a key without an equivalent: a warning unless its value is that of a card without it. */
function dropUnless(isUsual: (value: Json, card: RawCard) => boolean, reason: string): FieldRule {
  const dropped = dropWithWarning(reason)
  const { apply, ...row } = dropped
  return rule(row, (value, field) =>
    isUsual(value, field.card) ? ignored('it changes nothing') : apply?.(value, field),
  )
}

function isOff(value: Json): boolean {
  return value === false
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const RULES: FieldRules = {
  type: rule(
    {
      status: 'honoured',
      reason:
        'iterative_planner becomes orchestrator, smart becomes agent, MAKER becomes voting; a2a is an error',
    },
    putType,
  ),
  model: rule(
    {
      status: 'honoured',
      reason:
        'provider.name becomes provider/name, name.low becomes name?reasoning=low, and short names are those of fast-agent',
    },
    putFastAgentModel,
  ),
  shell: rule({ status: 'translated', to: 'runtimeTools', reason: SHELL_LOSS }, (value, field) => {
    if (value !== true) return ignored('it is disabled')
    return translated(`runtimeTools: [${addShell(field).join(', ')}]`, SHELL_LOSS)
  }),
  human_input: rule({ status: 'translated', to: 'runtimeTools: [human]' }, (value, { rewriter, from }) => {
    if (value !== true) return ignored('it is disabled')
    addToList(rewriter, { to: ['runtimeTools'], values: ['human'], from })
    return undefined
  }),
  skills: rule(
    { status: 'honoured', reason: 'folders are relative to the folder that contains `.fast-agent`' },
    putSkills,
  ),
  request_params: rule(
    { status: 'translated', to: 'temperature, topP, maxOutputTokens, stopSequences, limits' },
    putRequestParams,
  ),
  name: rule({ status: 'honoured', reason: 'spaces become `_`' }, (value, { rewriter, from }) => {
    const name = isText(value) ? value.trim().replaceAll(' ', '_') : value
    rewriter.put(['name'], name, from)
    return name === value ? { status: 'honoured' } : translated(`name: ${textOf(name)}`)
  }),
  plan_type: dropUnless(
    (value) => value === 'iterative',
    'an orchestrator plans one round of tasks at a time',
  ),
  schema_version: drop('card schemas have no versions'),
  use_history: rule({ status: 'ignored', reason: HISTORY }, (value) =>
    value === false ? ignored(NO_HISTORY) : undefined,
  ),
  mcp_connect: rule({ status: 'translated', to: 'mcpServers' }, putConnections),
  function_tools: functionTools,
  tool_hooks: toolHooks,
  instruction: rule(
    { status: 'honoured', reason: 'with `{{file:…}}` and the other placeholders of fast-agent' },
    (value, field) => {
      const text = isText(value) ? renderInstruction(value, field, field.from) : value
      field.rewriter.put(['instruction'], text, field.from)
      return undefined
    },
  ),
  k: move(['minLead']),
  red_flag_max_length: move(['maxSampleLength']),
  url: drop(REMOTE),
  transport: drop(REMOTE),
  auth: drop(REMOTE),
  headers: drop(REMOTE),
  relative_card_path: drop(REMOTE),
  streaming: drop(REMOTE),
  polling: drop(REMOTE),
  accepted_output_modes: drop(REMOTE),
  request_timeout_seconds: drop(REMOTE),
  resources: drop('agents can use the tools of servers, not their resources'),
  prompts: drop('agents can use the tools of servers, not their prompts'),
  api_key: dropWithWarning('set `api_key` of the provider in fast-agent.secrets.yaml'),
  messages: dropUnless(isEmpty, 'a run starts with the input of its caller'),
  cwd: dropUnless(
    (value, card) => value === '.' || value === './' || !hasShell(card),
    'commands start in the folder in which the run was started',
  ),
  lifecycle_hooks: dropUnless(isEmpty, 'see `loopHooks`'),
  history_source: rule({ status: 'translated', to: 'historyMode' }, putHistorySource),
  history_merge_target: rule({ status: 'translated', to: 'historyMode' }, (value, field) =>
    value === 'none' || value === 'orchestrator'
      ? undefined
      : dropWithWarning('see `historyMode`').apply?.(value, field),
  ),
  trim_tool_history: dropUnless(isOff, 'the results of tools stay in the conversation (see `context`)'),
  save_trajectory: drop('see `--record` and `store`'),
  commands: drop('people start them in the interface of fast-agent'),
  variables: drop('fast-agent does not read it either'),
  subagents: dropUnless(
    isOff,
    'Troupe has no tool that starts copies of an agent; list children in `agents`',
  ),
  subagent_model: drop('it has no effect without `subagents`'),
  harness_tools: dropUnless(isOff, 'Troupe has no tools that create agents'),
}

/** Types of fast-agent with another name in Troupe. */
const RENAMED_TYPES: ReadonlyMap<string, string> = new Map([
  ['iterative_planner', 'orchestrator'],
  ['smart', 'agent'],
  ['maker', 'voting'],
])

function putType(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const type = isText(value) ? value.trim().toLowerCase() : value
  if (type === 'a2a') {
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`type: ${textOf(value)}\`: ${REMOTE}.`,
      at: from,
    })
    return ignored(REMOTE)
  }
  const renamed = isText(type) ? (RENAMED_TYPES.get(type) ?? type) : type
  rewriter.put(['type'], renamed, from)
  return renamed === value ? undefined : translated(`type: ${textOf(renamed)}`)
}

/** Maps the history that children start with, and what they return of theirs. */
function putHistorySource(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  if (value === 'none') return undefined
  if (value !== 'orchestrator') {
    dropWithWarning('children see nothing or the conversation of their caller (see `historyMode`)').apply?.(
      value,
      field,
    )
    return ignored('see `historyMode`')
  }
  const isMerged = card.fields['history_merge_target'] === 'orchestrator'
  rewriter.put(['historyMode'], isMerged ? 'fork_and_merge' : 'fork', from)
  return undefined
}

/** Returns the prompt for a body, without the `---SYSTEM` line that opens it. */
function readBody(body: string, field: FieldContext): string {
  const text = renderInstruction(body.replace(/^\s*---SYSTEM[ \t]*\n/u, ''), field, [])
  // An agent whose only text is an include that may be missing runs without a prompt there.
  return text.trim() === '' && body.trim() !== '' ? `${DEFAULT_OPENING}\n` : text
}

/** Adds what fast-agent adds to a card: its default prompt, skills, settings and the cards of other folders. */
function putProject(field: FieldContext): void {
  const { rewriter, card } = field
  const { path, fields, body = '' } = card
  const stem = path.replace(/^.*[/\\]/u, '').replace(/\.[^.]+$/u, '')
  if (fields['name'] === undefined && stem.includes(' '))
    rewriter.put(['name'], stem.replaceAll(' ', '_'), ['name'])
  const isAgent = ['agent', 'smart'].includes(typeOf(card))
  if (typeOf(card) === 'smart' && fields['shell'] === undefined) {
    const groups = addShell({ ...field, from: ['type'] })
    rewriter.note({
      key: '(shell)',
      status: 'translated',
      to: `runtimeTools: [${groups.join(', ')}]`,
      reason: SHELL_LOSS,
    })
  }
  if (typeOf(card) === 'iterative_planner' && fields['plan_iterations'] === undefined)
    rewriter.put(['planIterations'], -1, ['type'])
  const isWithoutPrompt = fields['instruction'] === undefined && body.trim() === ''
  const written = isText(fields['instruction']) ? fields['instruction'] : body
  if (isAgent && isWithoutPrompt) putDefaultPrompt(field)
  if (isAgent && fields['skills'] === undefined && (isWithoutPrompt || written.includes('{{agentSkills}}')))
    putDefaultSkills(field)
  putSettings(field)
  putConfiguredServers(field)
  limitFileTools(field)
  redirectChildren(field)
  putToolCards(field)
  checkKeysOfType(field)
}

/** Adds the prompt that fast-agent gives to agents without one. */
function putDefaultPrompt(field: FieldContext): void {
  const { now } = field.card
  const prompt =
    now === undefined ? DEFAULT_PROMPT.replace(/\n*[^\n]*\{\{currentDate\}\}\.$/u, '') : DEFAULT_PROMPT
  const text = renderInstruction(prompt, field, ['instruction'])
  field.rewriter.put(['instruction'], text.replaceAll(/\n{3,}/gu, '\n\n').trim(), ['instruction'])
  field.rewriter.note({
    key: '(no prompt)',
    status: 'translated',
    to: 'instruction',
    reason: 'the product adds this prompt to an agent without one',
  })
}

/** Card format of fast-agent AgentCards: Troupe's keys in snake case, and some of its own. */
export const fastAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'fast-agent',
  product: 'fast-agent',
  pathPatterns: [
    '.fast-agent/agent-cards/*.md',
    '.fast-agent/tool-cards/*.md',
    '*.md next to fast-agent.yaml',
  ],
  projectFolders: ['.fast-agent/agent-cards'],
  folder: /(?:^|\/)\.fast-agent\/(?:agent|tool)[-_]cards\//u,
  needsEntry: true,
  rules: RULES,
  moreRows: [...PARAM_ROWS, ...CONNECTION_ROWS, ...SETTING_ROWS],
  base: troupeFormat,
  usesOwnValues,
  tools: 'none',
  acceptsValues: ({ fields }) =>
    Object.keys(fields).some((key) => Object.hasOwn(RULES, key) && !troupeFormat.isKey(key)) ||
    isOwnType(fields['type']) ||
    namesPhases(fields) ||
    isFastAgentModel(fields['model']),
  hasUniqueShape: ({ fields }) => namesPhases(fields),
  afterKeys: putProject,
  readBody,
  projectFiles: fastAgentProjectFiles,
  codeRoots: fastAgentCodeRoots,
  acceptsLongEnding: true,
  matchesProject: (card) => hasDocumentedKeys(card) && hasProject(card),
})

function isOwnType(type: Json | undefined): boolean {
  return isText(type) && /^(?:iterative_planner|smart|maker|a2a)$/iu.test(type)
}

/**
 * Model names of fast-agent: from its configuration (`$system.fast`), with a provider (`openai.gpt-5`), or
 * with an effort (`gpt-5.low`).
 */
const FAST_AGENT =
  /^\$\w|^(?:openai|responses|codexresponses|anthropic|google|openrouter|generic|groq|deepseek|xai|hf|azure|bedrock|aliyun)\.\w|[a-z\d]\.(?:minimal|low|medium|high)$/u

/** Returns true for a model name that only fast-agent has. */
function isFastAgentModel(model: Json | undefined): boolean {
  return typeof model === 'string' && FAST_AGENT.test(model)
}

/** Returns true for hooks by phase, or a model of fast-agent that the configuration does not define. */
function usesOwnValues({ fields, modelWords }: RawCard): boolean {
  const { model } = fields
  return namesPhases(fields) || (isFastAgentModel(model) && !isConfigured(model, modelWords))
}

function isConfigured(model: unknown, names: ReadonlySet<string> | undefined): boolean {
  return typeof model === 'string' && names?.has(model.split('?', 1)[0] ?? '') === true
}
