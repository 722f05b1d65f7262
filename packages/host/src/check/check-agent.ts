import type { CardPosition } from '@troupe/cards'
import { missingVariables } from '@troupe/env'
import { outputNotes, unsupportedProviderTool, type KnownPrice } from '@troupe/models'
import { compositionProblem, createComposition, needsModel } from '@troupe/registry'
import type { Runtime } from '@troupe/runtime'
import {
  failure,
  getOwn,
  toFailure,
  type AgentDefinition,
  type Failure,
  type ToolDefinition,
} from '@troupe/schema'
import type { Compose } from '@troupe/schema/ports'
import type { LoadedCode } from '../code/load-code.ts'
import type { Environment } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import { membersOf, type TeamMember } from '../team/collect-team.ts'
import { inheritsModel } from '../team/effective-definition.ts'
import { assignWireNames } from '../tools/assign-wire-names.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { restrictionProblem } from '../tools/provider-tools.ts'
import { agentParts, type AgentParts, type AgentSkills } from './agent-parts.ts'
import { agentServers, type AgentServer } from './agent-servers.ts'
import { guardProblems, keysWithoutEffect, schemaProblems } from './definition-problems.ts'
import { exportProblems } from './export-problems.ts'
import type { InputProblem } from './input-problems.ts'
import { modelContext, unsetVariables, type ModelChecks } from './model-checks.ts'
import { toNeed, variablesIn, type VariableNeed } from './needed-variables.ts'

/** Price of a model, in USD per million tokens. Without a date it is from the configuration. */
export interface PlannedPrice extends KnownPrice {
  readonly model: string
}

/** An agent with everything that is known before a run. Runs are prepared from it. */
export interface CheckedAgent {
  readonly member: TeamMember
  readonly environment: Environment
  readonly servers: readonly AgentServer[]
  /** Folder against which script models resolve. */
  readonly modelFolder: string
  readonly parts: AgentParts
  /** Runs in place of the model and tool loop, or around it. */
  readonly compose?: Compose
  readonly problems: readonly PlanProblem[]
  readonly variables: readonly VariableNeed[]
  /** Prices of its models, as far as they are known. */
  readonly prices: readonly PlannedPrice[]
  /** Ids of its models that have no known price. */
  readonly unpriced: readonly string[]
  /** Context windows of its models in tokens, by id, as far as they are known. */
  readonly contextWindows: ReadonlyMap<string, number>
  /** Notes on how the providers of its models handle its output schema. */
  readonly outputNotes: readonly string[]
}

/** Everything that the check of one agent depends on. */
interface CheckContext {
  readonly config: LoadedConfig
  readonly environment: Environment
  readonly modelFolder: string
  /** True if no agent of the team calls the agent, or the run starts with it. */
  readonly startsWithoutCaller: boolean
  /** True if `defaults` of the configuration applies because neither an option nor the card sets a model. */
  readonly isDefaultModel: boolean
  readonly models: NonNullable<HostOptions['models']>
  readonly checkModel: ModelChecks
  readonly children: readonly AgentDefinition[]
  readonly runtime: Runtime
  /** Built-in tools of the app for this agent. */
  readonly tools: readonly ToolDefinition[]
  readonly code: LoadedCode
  readonly skills: AgentSkills
  readonly inputProblems: readonly InputProblem[]
}

/**
 * Checks one agent at startup: its type, models, servers, code, tool names and variables. Calls no model and
 * starts no server. A missing variable is only a warning, since it matters only if the agent runs.
 */
export function checkAgent(member: TeamMember, context: CheckContext): CheckedAgent {
  const { definition, card } = member
  const { environment, modelFolder, code, children } = context
  const problems: PlanProblem[] = []
  const add: Add = (severity, problem, position) => {
    problems.push(located({ severity, ...toProblem(problem), ...position }, member))
  }
  const incomplete = compositionProblem(definition)
  if (incomplete !== undefined)
    add('error', failure('composition_incomplete', incomplete), card.positionOf?.(['type']))
  for (const { problem, path } of [...schemaProblems(definition), ...context.inputProblems])
    add(severityOf(problem, card), problem, card.positionOf?.(path))
  const { needs, prices, unpriced, contextWindows } = checkModels(member, context, add)
  const { servers, problems: serverProblems } =
    definition.type === 'agent' ? agentServers(definition, { ...card, config: context.config }) : NO_SERVERS
  problems.push(...serverProblems.map((problem) => located(problem, member)))
  problems.push(...context.skills.problems)
  for (const { problem, path } of code.problems) add('error', problem, card.positionOf?.(path))
  const parts = agentParts(member, {
    code,
    children,
    runtimeTools: [
      ...context.runtime.tools(definition, context.skills.skills),
      // a remote card never runs code on this machine
      ...(card.address === undefined ? context.tools : []),
    ],
    hint: context.config.config.defaults?.plannerHint === false ? undefined : plannerHint(definition),
  })
  checkNames(parts, definition.name, add)
  checkProviderTools(member, parts, add)
  for (const { problem, path, phrase } of exportProblems(definition))
    add(severityOf(problem, card), problem, card.positionOf?.(path, phrase))
  if (definition.acquire.kind === 'pool' && !isPoolable(servers))
    add('warning', poolIgnoredFailure(), card.positionOf?.(['acquire']))
  for (const { problem, path } of guardProblems(definition)) add('error', problem, card.positionOf?.(path))
  for (const { keys, text } of keysWithoutEffect(definition))
    add('warning', failure('key_without_effect', text), positionOfFirst(keys, member))
  if (definition.runtimeTools.includes('search') && context.config.config.runtime?.search === undefined)
    add('warning', noSearchFailure(), card.positionOf?.(['runtimeTools']))
  const variables = [...needs, ...otherVariables(member, servers, context)]
  const missing = missingProblem(variables, environment, member)
  if (missing !== undefined) problems.push(located(missing, member))
  const compose = createComposition(definition, membersOf(member, children))
  return {
    member,
    environment,
    modelFolder,
    servers,
    parts,
    problems,
    variables,
    prices,
    unpriced,
    contextWindows,
    outputNotes: collectOutputNotes(definition, context, parts.tools.length + servers.length > 0),
    ...(compose === undefined ? {} : { compose }),
  }
}

/** Returns false if a server is not shared, because its state must not leak into another session. */
export function isPoolable(servers: readonly AgentServer[]): boolean {
  return servers.every(({ config }) => config.shared !== false)
}

/** Errors that are warnings in cards of other products. An unknown placeholder is then left as text. */
const WARNING_CODES: ReadonlySet<string> = new Set(['invalid_schema', 'template_unknown_placeholder'])

function severityOf({ code }: Failure, { dialect = 'troupe' }: TeamMember['card']): PlanProblem['severity'] {
  if (code === 'tool_schema_refused') return 'warning'
  return WARNING_CODES.has(code) && dialect !== 'troupe' ? 'warning' : 'error'
}

function noSearchFailure(): Failure {
  return failure(
    'key_without_effect',
    'runtimeTools: the agent gets no `web.search`, because no search provider is configured.',
    'Add `runtime.search` to troupe.json, such as {"provider": "brave", "apiKey": "${BRAVE_API_KEY}"}.',
  )
}

function poolIgnoredFailure(): Failure {
  return failure(
    'key_without_effect',
    'acquire: an agent with a server that is not shared gets a new session for every run.',
  )
}

function unpricedModelFailure(id: string): Failure {
  return failure(
    'model_unpriced',
    `model: the price of ${id} is unknown, so its calls do not count against limits.maxCost.`,
  )
}

const NO_CALLER = failure(
  'model_unset',
  'model: `inherit` means the model of the caller, but no agent calls this one and no default model is configured.',
)
const NO_SERVERS: ReturnType<typeof agentServers> = { servers: [], problems: [] }

type Add = (severity: PlanProblem['severity'], problem: Failure, position?: CardPosition) => void

function toProblem({ code, message, remediation }: Failure): Pick<PlanProblem, 'code' | 'message' | 'fix'> {
  return { code, message, fix: remediation }
}

function located(problem: PlanProblem, { card, definition }: TeamMember): PlanProblem {
  return { ...problem, file: card.path, agent: definition.name }
}

function checkModels(
  member: TeamMember,
  context: CheckContext,
  add: Add,
): Pick<CheckedAgent, 'prices' | 'unpriced' | 'contextWindows'> & {
  readonly needs: readonly VariableNeed[]
} {
  const { definition } = member
  const inherits = member.card.definition !== undefined && inheritsModel(member.card.definition)
  if (definition.model.length === 0 && needsModel(definition)) {
    if (!inherits) add('warning', failure('model_unset', 'model: no model is configured.'))
    else if (context.startsWithoutCaller) add('warning', NO_CALLER, member.card.positionOf?.(['model']))
  }
  const unpriced: string[] = []
  const prices: PlannedPrice[] = []
  const contextWindows = new Map<string, number>()
  const { environment, modelFolder: folder } = context
  const needs: VariableNeed[] = [...defaultModelNeeds(member, context)]
  const { model: contextModel } = definition.context
  const ids = contextModel === undefined ? definition.model : [...definition.model, contextModel]
  for (const id of new Set(ids)) {
    if (getOwn(context.models, id) !== undefined) continue
    const need = { agent: definition.name, neededFor: `the model ${id}`, environment }
    const unset = unsetVariables(id, member, environment)
    needs.push(...unset.filter((name) => !isNamed(name, needs)).map((name) => toNeed(name, need)))
    // Without a resolved name there is nothing to check.
    if (unset.length > 0) continue
    const { check, written, missing } = context.checkModel(id, { environment, folder })
    // Missing variables are reported once per agent, and a value that contains one cannot be checked.
    const isMissing = missing.length > 0 || check.problem?.code === 'env_missing'
    if (check.problem !== undefined && !isMissing) add('error', check.problem, positionOfModel(member, id))
    if (check.unpriced === true) unpriced.push(id)
    const refused = unsupportedProviderTool(check, definition.providerTools)
    if (refused !== undefined) add('error', refused, member.card.positionOf?.(['providerTools']))
    if (check.contextWindow !== undefined) contextWindows.set(id, check.contextWindow)
    if (check.price !== undefined) prices.push({ ...check.price, model: id })
    for (const { name, required, found } of check.variables)
      if (required || found) needs.push(toNeed(name, need))
    if (written !== undefined) needs.push(...variablesIn(written, need))
  }
  if (definition.limits.maxCost !== undefined)
    for (const id of unpriced) add('warning', unpricedModelFailure(id))
  return { needs, prices, unpriced, contextWindows }
}

/** Adds an error for each restriction that cannot be enforced on tools of the provider. */
function checkProviderTools({ definition, card }: TeamMember, { tools, hooks }: AgentParts, add: Add): void {
  const permission = effectivePermission(definition, [])
  for (const { tool } of tools) {
    const problem =
      tool.source === 'provider' ? restrictionProblem(tool, { definition, permission, hooks }) : undefined
    if (problem !== undefined) add('error', problem, card.positionOf?.(['providerTools']))
  }
}

function isNamed(variable: string, needs: readonly VariableNeed[]): boolean {
  return needs.some(({ name }) => name === variable)
}

/** Returns the position of the first of the keys that the card contains. */
function positionOfFirst(keys: readonly string[], { card }: TeamMember): CardPosition | undefined {
  return keys.map((key) => card.positionOf?.([key])).find((position) => position !== undefined)
}

/** Returns the position where the card names the model. */
function positionOfModel({ card }: TeamMember, id: string): CardPosition | undefined {
  const index = card.definition?.model.indexOf(id) ?? -1
  if (index !== -1) return card.positionOf?.(['model', index])
  return card.definition?.context.model === id ? card.positionOf?.(['context', 'model']) : undefined
}

function defaultModelNeeds(
  { definition }: TeamMember,
  { config, environment, isDefaultModel }: CheckContext,
): readonly VariableNeed[] {
  const { defaults } = config.config
  if (!isDefaultModel || defaults?.model === undefined) return []
  return variablesIn(defaults, { agent: definition.name, neededFor: '`defaults.model`', environment })
}

function otherVariables(
  { definition }: TeamMember,
  servers: readonly AgentServer[],
  { environment }: CheckContext,
): readonly VariableNeed[] {
  const agent = definition.name
  return [
    ...servers.flatMap(({ name, config }) =>
      variablesIn(config, { agent, neededFor: `the MCP server ${name}`, server: name, environment }),
    ),
    ...definition.env.map((name) => toNeed(name, { agent, neededFor: '`env` of the card', environment })),
  ]
}

/** Reports all missing variables as one problem, located at the first one listed in `env` of the card. */
function missingProblem(
  needs: readonly VariableNeed[],
  { searched }: Environment,
  { card, definition }: TeamMember,
): PlanProblem | undefined {
  const missing = needs.filter((need) => need.origin === undefined).map((need) => need.name)
  if (missing.length === 0) return undefined
  const index = definition.env.findIndex((name) => missing.includes(name))
  const position = index === -1 ? undefined : card.positionOf?.(['env', index])
  return { severity: 'warning', ...toProblem(missingVariables(missing, { searched })), ...position }
}

function checkNames({ tools }: AgentParts, agent: string, add: Add): void {
  if (tools.length < 2) return
  try {
    const { renamed } = assignWireNames(tools, agent)
    for (const line of renamed) add('warning', failure('tool_name_conflict', line))
  } catch (thrown) {
    add('error', toFailure(thrown))
  }
}

/** Returns notes on how the providers of the models handle the output schema of an agent. */
function collectOutputNotes(
  { output: { schema }, model }: AgentDefinition,
  context: CheckContext,
  hasTools: boolean,
): readonly string[] {
  if (schema === undefined) return []
  const { environment, modelFolder: folder, config } = context
  const team = { providers: config.config.providers, packageFolder: config.folder }
  const notes = model
    .filter((id) => getOwn(context.models, id) === undefined)
    .flatMap((id) =>
      outputNotes(id, modelContext(id, { environment, ...team, folder }).context, { schema, hasTools }),
    )
  return [...new Set(notes)]
}

/** Returns a hint for the system prompt of an agent with children, based on its limits. */
function plannerHint({ limits }: Pick<AgentDefinition, 'limits'>): string {
  const { maxParallel, parallelToolCalls } = limits
  if (!parallelToolCalls || maxParallel === 1)
    return 'Call one agent at a time, and only agents that the task needs.'
  return `Call at most ${maxParallel} agents at once, and only agents that the task needs.`
}
