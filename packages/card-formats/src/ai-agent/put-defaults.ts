import { getOwn, type Json } from '@troupe/schema'
import type { FieldContext, FieldPath, ProjectSettings } from '@troupe/cards/formats'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { becomes, isUnsetText, lost, without, type ConfigKeys } from './config-keys.ts'

interface DefaultSetting {
  readonly to: FieldPath
  /** Other names of the key. */
  readonly aliases?: readonly string[]
  /** Value that ai-agent uses if no layer sets one. */
  readonly builtIn?: number
}

const SETTINGS: Readonly<Record<string, DefaultSetting>> = {
  temperature: { to: ['temperature'], builtIn: 0 },
  topP: { to: ['topP'] },
  maxOutputTokens: { to: ['maxOutputTokens'], builtIn: 4096 },
  llmTimeout: { to: ['limits', 'llmTimeout'], builtIn: 600_000 },
  toolTimeout: { to: ['limits', 'toolTimeout'], builtIn: 300_000 },
  maxTurns: { to: ['limits', 'maxTurns'], aliases: ['maxToolTurns'], builtIn: 10 },
  maxToolCallsPerTurn: { to: ['limits', 'maxToolCallsPerTurn'], builtIn: 10 },
  maxRetries: { to: ['limits', 'maxRetries'], builtIn: 5 },
  toolResponseMaxBytes: { to: ['limits', 'maxToolResultBytes'], builtIn: 12_288 },
}

const NOT_SENT = 'Troupe does not send this setting, so the model uses its own'

/** Keys of `defaults`. */
export const DEFAULT_KEYS: ConfigKeys = {
  ...Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([key, { to, aliases = [] }]) =>
      [key, ...aliases].map((name) => [name, becomes(to.join('.'))] as const),
    ),
  ),
  topK: lost(NOT_SENT),
  repeatPenalty: lost(NOT_SENT),
  contextWindowBufferTokens: lost('see `context.threshold`', 8192),
  mcpInitConcurrency: without('servers start when they are needed'),
  stream: without('answers are streamed whenever a client listens'),
}

/**
 * Sets what neither the card nor a layer above it sets: `defaults` field by field, then the values built into
 * ai-agent. Without a configuration file the card keeps Troupe's defaults.
 */
export function putDefaults(layers: readonly ProjectSettings[], { rewriter, card }: FieldContext): void {
  if (layers.length === 0) return
  const set: string[] = []
  for (const [key, { to, aliases = [], builtIn }] of Object.entries(SETTINGS)) {
    const names = [key, ...aliases]
    const isWritten = names.some((name) => Object.hasOwn(card.fields, name))
    if (isWritten || rewriter.get(to) !== undefined) continue
    const value = defaultOf(layers, names) ?? builtIn
    if (value === undefined || value === null || isUnsetText(value)) continue
    rewriter.put(to, value, [])
    set.push(`${key}: ${textOf(value)}`)
  }
  if (set.length > 0)
    rewriter.note({ key: '(defaults of ai-agent)', status: 'translated', to: set.join(', ') })
}

/** Returns a limit of the card, or its default. */
export function limitOf(
  key: 'maxTurns' | 'maxToolCallsPerTurn',
  layers: readonly ProjectSettings[],
  { rewriter }: FieldContext,
): Json {
  const { aliases = [], builtIn = null } = SETTINGS[key] ?? {}
  return rewriter.get(['limits', key]) ?? defaultOf(layers, [key, ...aliases]) ?? builtIn
}

function defaultOf(layers: readonly ProjectSettings[], names: readonly string[]): Json | undefined {
  for (const { fields } of layers) {
    const defaults = mappingOf(fields['defaults'])
    for (const name of names) {
      const value = getOwn(defaults, name)
      if (value !== undefined) return value
    }
  }
  return undefined
}
