import { isJsonObject, type AgentDefinition, type Json, type JsonObject } from '@troupe/schema'
import { dump } from 'js-yaml'
import { KEY_NOTES } from '../fields/key-notes.ts'
import { openLimits, templateFields, type TemplateDefaults } from './template-fields.ts'

export type { TemplateDefaults } from './template-fields.ts'

/** How a template is filled in. */
export interface TemplateOptions extends TemplateDefaults {
  /** Who says what the value of a key is, as a word for its comment; `path` leads into `limits`. None: nothing is said. */
  originOf?(path: readonly string[]): string
}

/**
 * The front matter of a definition with every key there is and all defaults filled in, fences included (C5, C58): with a
 * prompt behind it, it is a card again (C59). Keys without a value stand in it as comments. What only code can give (functions,
 * tools, hooks) cannot be written and is left out.
 */
export function renderTemplate(definition: AgentDefinition, options: TemplateOptions = {}): string {
  const fields = templateFields(definition, options)
  const lines = [...KEY_NOTES].flatMap(([key, { note, example }]) => {
    const value = fields[key]
    if (value === undefined) return [`# ${key}: ${example ?? '…'} # ${note}`]
    if (key === 'limits' && isJsonObject(value))
      return [
        ...renderLimits(value, { note, originOf: options.originOf }),
        ...commented(openLimits(definition, options)),
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

/** Each limit has an origin of its own. */
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

function commented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  # ${line}`)
}
