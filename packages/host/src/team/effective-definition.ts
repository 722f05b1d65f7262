import type { AgentDefinition, AgentFields, Limits, LimitsInput } from '@troupe/schema'
import type { AgentOverrides } from '@troupe/schema/ports'
import { toDefinition, type ParsedAgentFields } from '@troupe/schema/agent-keys'
import type { TroupeConfig } from '../config/config-schema.ts'
import { resolveModelAliases, type ModelAliases } from '../config/configured-models.ts'

/** Values that override the card or fill in what it omits. */
interface DefinitionDefaults {
  readonly defaults: {
    readonly model?: string | readonly string[] | undefined
    readonly limits?: Partial<Limits> | undefined
  }
  /** Rules added to those of the card. */
  readonly permissions?: TroupeConfig['permissions']
  /** Replaces the models of the card (`--model`). */
  readonly model?: string | undefined
  /** Aliases for model ids. */
  readonly aliases?: ModelAliases | undefined
  /** Replaces the prompt of the card. */
  readonly prompt?: string | undefined
  /** Replaces the models and the model settings of the card, unless `model` does. */
  readonly overrides?: AgentOverrides | undefined
}

/**
 * Returns the definition to run: the configuration fills in what the card omits, and `--model` replaces its
 * models.
 */
export function effectiveDefinition(
  definition: AgentDefinition,
  {
    defaults,
    permissions = {},
    model,
    aliases = {},
    prompt = definition.instruction,
    overrides = {},
  }: DefinitionDefaults,
): AgentDefinition {
  const models = resolveModelAliases(modelsOf(definition, { defaults, model, overrides }), aliases)
  const settings = overrides.settings ?? definition.settings
  const limits = missingLimits(definition, defaults.limits ?? {})
  const context = contextOf(definition, { model, aliases })
  const isRuled = Object.values(permissions).some((globs) => globs.length > 0)
  const isSame =
    models === definition.model &&
    context === definition.context &&
    prompt === definition.instruction &&
    settings === definition.settings &&
    Object.keys(limits).length === 0 &&
    !isRuled
  if (isSame) return definition
  const { model: _written, ...fields } = definitionFields({ ...definition, settings })
  const own = Object.fromEntries(definition.ownLimits.map((key) => [key, definition.limits[key]]))
  return toDefinition(
    {
      ...fields,
      instruction: prompt,
      ...(models.length === 0 ? {} : { model: models }),
      limits: { ...limits, ...own },
      context,
      ...(isRuled ? { permissions: withRules(definition.permissions, permissions) } : {}),
    },
    { ...definition.source, limitNames: { ...namesOfLimits(limits), ...definition.source.limitNames } },
  )
}

/** Names limits by their key in the configuration, so that messages do not refer to the card. */
function namesOfLimits(limits: Partial<Limits>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(limits).map((key) => [key, `defaults.limits.${key} in troupe.json`]))
}

/** Merges the rules of both. Their kind decides which rule wins, not their source. */
function withRules(
  own: AgentDefinition['permissions'],
  { deny = [], ask = [], allow = [] }: NonNullable<TroupeConfig['permissions']>,
): AgentDefinition['permissions'] {
  return {
    deny: [...own.deny, ...deny],
    ask: [...own.ask, ...ask],
    allow: [...own.allow, ...allow],
  }
}

/** Resolves the summarization model. `--model` replaces it, too. */
function contextOf(
  { context }: AgentDefinition,
  { model, aliases }: { readonly model: string | undefined; readonly aliases: ModelAliases },
): AgentDefinition['context'] {
  const { model: own, ...rest } = context
  if (own === undefined) return context
  if (model !== undefined) return rest
  const [resolved = own] = resolveModelAliases([own], aliases)
  return resolved === own ? context : { ...rest, model: resolved }
}

function modelsOf(
  definition: AgentDefinition,
  { defaults, model, overrides }: DefinitionDefaults,
): readonly string[] {
  if (model !== undefined) return [model]
  if (overrides?.model !== undefined) return overrides.model
  const own = inheritsModel(definition) ? [] : definition.model
  if (own.length > 0 || defaults.model === undefined) return own
  return typeof defaults.model === 'string' ? [defaults.model] : defaults.model
}

/** Returns true for a definition as written that uses the models of its caller. */
export function inheritsModel({ model }: AgentDefinition): boolean {
  return model.length === 1 && model[0] === 'inherit'
}

function missingLimits(definition: AgentDefinition, defaults: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(
    Object.entries(defaults).filter(([key]) => !definition.ownLimits.includes(key as keyof Limits)),
  )
}

/**
 * Converts a definition back to fields from which `toDefinition` creates an equal one. Limits include only
 * those that the author set.
 */
export function definitionFields(
  definition: AgentDefinition,
): AgentFields &
  Pick<ParsedAgentFields, 'minRating'> & { readonly name: string; readonly instruction: string } {
  const { source: _source, digest: _digest, ...rest } = definition
  const {
    settings,
    composition,
    acquire,
    tools,
    mcpServers,
    ownLimits,
    limits: _limits,
    model,
    ...same
  } = rest
  return {
    ...same,
    ...settings,
    ...composition,
    ...(model.length === 0 ? {} : { model }),
    ...toolsField(tools),
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    limits: ownLimitsOf(definition, ownLimits),
    acquire: acquire.kind === 'fresh' ? 'fresh' : { pool: acquire.size },
  }
}

function toolsField(tools: AgentDefinition['tools']): Pick<AgentFields, 'tools'> {
  const written = tools.servers ?? tools.allow
  return written === undefined ? {} : { tools: written }
}

function ownLimitsOf(definition: AgentDefinition, own: AgentDefinition['ownLimits']): LimitsInput {
  return Object.fromEntries(own.map((key) => [key, definition.limits[key]]))
}
