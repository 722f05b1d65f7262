import { getOwn } from '@troupe/schema'
import type { FieldContext, FieldRow, ProjectSettings } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { becomes, configRows, lost, reportKey, without, type ConfigKeys } from './config-keys.ts'
import { DEFAULT_KEYS } from './put-defaults.ts'
import { OPENAPI_KEYS } from './put-openapi-tools.ts'
import { MODEL_KEYS, OVERRIDE_KEYS, PRICE_KEYS, PROVIDER_KEYS } from './put-providers.ts'
import { REST_KEYS } from './put-rest-tools.ts'
import { SERVER_KEYS } from './put-servers.ts'

const READ = new Set([
  '$schema',
  'providers',
  'mcpServers',
  'restTools',
  'openapiSpecs',
  'queues',
  'defaults',
  'pricing',
])

const ANSWERS = 'answers are not stored; see `cache` of a card'
const LONG_RESULTS = 'long results are truncated; see `limits.maxToolResultBytes`'

/** Sections that do not change what an agent does. */
const SECTIONS: ConfigKeys = {
  cache: without(ANSWERS),
  toolOutput: without(LONG_RESULTS),
  telemetry: without('see OpenTelemetry in the configuration of Troupe'),
  accounting: without('see `troupe runs`'),
  slack: without('see `troupe slack`'),
  api: without('see `troupe serve`'),
  embed: without('see `troupe serve`'),
}

/** Rows of the documentation for each key of the configuration. */
export const CONFIG_ROWS: readonly FieldRow[] = [
  ...configRows('providers.N', PROVIDER_KEYS),
  ...configRows('providers.N.models.M', MODEL_KEYS),
  ...configRows('providers.N.models.M.overrides', OVERRIDE_KEYS),
  ...configRows('pricing.N.M', PRICE_KEYS),
  ...configRows('mcpServers.N', SERVER_KEYS),
  ...configRows('queues.N', {
    concurrent: becomes('mcpServers.*.maxParallel', 'of each server of the queue'),
  }),
  ...configRows('restTools.N', REST_KEYS),
  ...configRows('openapiSpecs.N', OPENAPI_KEYS),
  ...configRows('defaults', DEFAULT_KEYS),
  ...configRows('cache', { backend: without(ANSWERS), maxEntries: without(ANSWERS) }),
  ...configRows(
    'toolOutput',
    Object.fromEntries(
      ['enabled', 'maxChunks', 'overlapPercent', 'avgLineBytesThreshold', 'models'].map((key) => [
        key,
        without(LONG_RESULTS),
      ]),
    ),
  ),
  ...configRows('', Object.fromEntries(Object.entries(SECTIONS).slice(2))),
]

/** Reports the keys of the configuration that apply to every agent and are not translated. */
export function reportSettings(layers: readonly ProjectSettings[], field: FieldContext): void {
  const seen = new Set<string>()
  for (const settings of layers) {
    const report = (at: readonly string[], keys: ConfigKeys, what: string): void => {
      const name = at.join('.')
      if (seen.has(name)) return
      seen.add(name)
      const value =
        at.length === 1 ? settings.fields[name] : mappingOf(settings.fields['defaults'])[at[1] ?? '']
      const key = getOwn(keys, at.at(-1) ?? '') ?? lost(`${what} is not known`)
      if (value !== undefined) reportKey(key, value, { entry: { settings }, field, at })
    }
    for (const key of Object.keys(settings.fields)) if (!READ.has(key)) report([key], SECTIONS, 'the key')
    for (const key of Object.keys(mappingOf(settings.fields['defaults'])))
      report(['defaults', key], DEFAULT_KEYS, 'this default')
  }
}
