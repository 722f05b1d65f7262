import { isJsonObject, type AgentDefinition, type Json, type JsonObject } from '@troupe/schema'
import { dump } from 'js-yaml'
import { openLimits, templateFields, templateKeys, type TemplateDefaults } from './template-fields.ts'

export type { TemplateDefaults } from './template-fields.ts'

/** Options for rendering a template. */
export interface TemplateOptions extends TemplateDefaults {
  /**
   * Returns the origin of a value as a word for its comment. `path` may lead into `limits`. Without it,
   * comments have no origin.
   */
  originOf?(path: readonly string[]): string
}

/**
 * Renders the front matter of a definition, with fences, every key and all defaults; followed by a prompt it
 * is a card. Keys without a value are comments. Functions, tools and hooks given in code are left out.
 */
export function renderTemplate(definition: AgentDefinition, options: TemplateOptions = {}): string {
  const fields = templateFields(definition, options)
  const lines = templateKeys().flatMap(([key, { note, example }]) => {
    const value = fields[key]
    if (value === undefined) return [`# ${key}: ${example ?? '…'} # ${note}`]
    if (key === 'limits' && isJsonObject(value))
      return [
        ...renderLimits(value, { note, originOf: options.originOf }),
        ...toComments(openLimits(definition, options)),
      ]
    return renderField(key, value, withOrigin(options.originOf?.([key]), note))
  })
  return ['---', ...lines, '---', ''].join('\n')
}

function renderField(key: string, value: Json, note: string): readonly string[] {
  const lines = toYaml(key, value)
  const [only] = lines
  return lines.length === 1 && only !== undefined ? [`${only} # ${note}`] : [`# ${note}`, ...lines]
}

/** Renders the limits, each with its origin. */
function renderLimits(
  limits: JsonObject,
  { note, originOf }: { readonly note: string; readonly originOf: TemplateOptions['originOf'] },
): readonly string[] {
  const lines = Object.entries(limits).flatMap(([key, value]) => {
    const origin = originOf?.(['limits', key])
    return toYaml(key, value).map((line) => (origin === undefined ? `  ${line}` : `  ${line} # (${origin})`))
  })
  return [`# ${note}`, 'limits:', ...lines]
}

function toYaml(key: string, value: Json): readonly string[] {
  return dump({ [key]: value }, { noRefs: true, lineWidth: -1 })
    .trimEnd()
    .split('\n')
}

function withOrigin(origin: string | undefined, note: string): string {
  return origin === undefined ? note : `(${origin}) ${note}`
}

function toComments(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  # ${line}`)
}
