import { providerConfigSchema, type ProviderConfig } from '@troupe/models'
import { getOwn, type Json } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { TeamCard } from '../cards/card-pool.ts'
import { issueTexts } from '../config/issue-text.ts'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'

/**
 * Adds the providers that the products of the cards define in their own files. Those of the configuration
 * take precedence. Two cards that define a provider differently are an error, and so is a remote card that
 * defines one.
 */
export function addCardProviders(config: LoadedConfig, cards: readonly TeamCard[]): LoadedConfig {
  const own = config.config.providers ?? {}
  const providers: Record<string, ProviderConfig> = {}
  const definedBy = new Map<string, { readonly text: string; readonly path: string }>()
  const problems: PlanProblem[] = []
  for (const card of new Set(cards)) {
    for (const [name, settings] of Object.entries(card.providers ?? {})) {
      if (getOwn(own, name) !== undefined) continue
      const text = canonicalJson(settings)
      const earlier = definedBy.get(name)
      if (earlier?.text === text) continue
      const result =
        earlier === undefined
          ? readProvider(settings, card)
          : { message: `is defined differently in ${earlier.path}` }
      definedBy.set(name, earlier ?? { text, path: card.path })
      if ('provider' in result) providers[name] = result.provider
      else problems.push(invalidProvider(name, result.message, card))
    }
  }
  if (definedBy.size === 0) return config
  return {
    ...config,
    config: { ...config.config, providers: { ...providers, ...own } },
    problems: [...config.problems, ...problems],
  }
}

function readProvider(
  settings: Json,
  { address }: TeamCard,
): { readonly provider: ProviderConfig } | { readonly message: string } {
  if (address !== undefined) return { message: 'cannot be defined by a remote card' }
  const parsed = providerConfigSchema.safeParse(settings, { jitless: true })
  if (parsed.success) return { provider: parsed.data }
  const texts = parsed.error.issues.flatMap((issue) => issueTexts(issue, () => []))
  return { message: `is not valid: ${texts.map(({ text }) => text).join('; ')}` }
}

function invalidProvider(name: string, message: string, { path }: TeamCard): PlanProblem {
  return planError('config_invalid', `The provider "${name}" ${message}.`, {
    file: path,
    fix: 'Define it in `providers` of troupe.json, which takes precedence.',
  })
}
