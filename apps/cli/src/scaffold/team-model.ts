import { parseModelId, PROVIDER_KEYS, PROVIDER_NAMES } from '@troupe/models'
import { troupeError } from '@troupe/schema'
import type { Questions } from './questions.ts'

/** Model of a new team. */
export interface TeamModel {
  readonly id: string
  /** True if a script stands in for the model. */
  readonly isScript: boolean
  /** Variable with the key of its provider; `undefined` if it needs none. */
  readonly keyVariable?: string | undefined
}

/** Model of every template until a provider is chosen. */
export const SCRIPT_MODEL: TeamModel = { id: 'script/script.yaml', isScript: true }

/** Model and title of the providers that can be chosen from the list. */
const SUGGESTED: Readonly<Record<string, { readonly title: string; readonly model: string }>> = {
  openai: { title: 'OpenAI', model: 'gpt-5-mini' },
  anthropic: { title: 'Anthropic', model: 'claude-haiku-4-5' },
  google: { title: 'Google', model: 'gemini-3.5-flash-lite' },
  openrouter: { title: 'OpenRouter', model: 'anthropic/claude-sonnet-4.5' },
  ollama: { title: 'Ollama, on this machine', model: 'qwen3' },
}

/** Value of `--provider` and of the list for no provider. */
const NO_PROVIDER = 'none'

/** Providers of the program itself, which call no service. */
const LOCAL_PROVIDERS: ReadonlySet<string> = new Set(['script', 'replay', 'passthrough'])

/** Values of `--provider`. */
const PROVIDER_CHOICES: readonly string[] = [
  NO_PROVIDER,
  ...PROVIDER_NAMES.filter((name) => !LOCAL_PROVIDERS.has(name)),
]

/** Options that select the model. */
export interface ModelOptions {
  readonly provider?: string
  readonly model?: string
}

/**
 * Returns the model of the options, or the one that the user chooses. Throws `usage_invalid` for an unknown
 * provider, or one without a suggested model.
 */
export async function chooseModel(
  options: ModelOptions,
  questions: Questions | undefined,
): Promise<TeamModel> {
  if (options.provider !== undefined || options.model !== undefined || questions === undefined)
    return readModel(options)
  const provider = await questions.choose(
    'Which model should the team use?',
    [
      { value: NO_PROVIDER, label: 'None yet', hint: 'a script answers, no key needed' },
      ...Object.entries(SUGGESTED).map(([value, { title, model }]) => ({ value, label: title, hint: model })),
    ],
    NO_PROVIDER,
  )
  if (provider === NO_PROVIDER) return SCRIPT_MODEL
  const model = await questions.askText('Name of the model', {
    initial: SUGGESTED[provider]?.model ?? '',
    validate: modelNameProblem,
  })
  return readModel({ provider, model })
}

function readModel({ provider, model }: ModelOptions): TeamModel {
  if (provider === NO_PROVIDER && model !== undefined)
    throw troupeError('usage_invalid', '--provider none has no models.', {
      fix: 'Remove --model or --provider.',
    })
  if (provider === NO_PROVIDER || (provider === undefined && model === undefined)) return SCRIPT_MODEL
  const problem = model === undefined ? undefined : modelNameProblem(model)
  if (problem !== undefined) throw troupeError('usage_invalid', `--model: ${problem}`)
  if (provider === undefined) return toTeamModel(model ?? '')
  if (!PROVIDER_CHOICES.includes(provider))
    throw troupeError('usage_invalid', `There is no provider "${provider}".`, {
      fix: `Use one of: ${PROVIDER_CHOICES.join(', ')}.`,
    })
  const name = model ?? SUGGESTED[provider]?.model
  if (name === undefined)
    throw troupeError('usage_invalid', `There is no default model for ${provider}.`, {
      fix: `Add --model NAME, a model of ${provider}.`,
    })
  return toTeamModel(name.startsWith(`${provider}/`) ? name : `${provider}/${name}`)
}

function toTeamModel(id: string): TeamModel {
  const { provider = '' } = parseModelId(id)
  return { id, isScript: provider === 'script', keyVariable: PROVIDER_KEYS.get(provider) }
}

/** Returns the problem of a model name. It becomes a part of a JSON file and of a command line. */
function modelNameProblem(name: string): string | undefined {
  return /^[\w./:@?=&+-]{1,200}$/u.test(name) ? undefined : 'Use the name of a model, such as gpt-5-mini.'
}
