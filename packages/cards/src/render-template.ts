import type { AgentDefinition, Json } from '@troupe/schema'
import { dump } from 'js-yaml'
import { KEY_NOTES } from './key-notes.ts'
import { openLimits, templateFields, type TemplateDefaults } from './template-fields.ts'

export type { TemplateDefaults } from './template-fields.ts'

/**
 * The front matter of a definition with every key there is and all defaults filled in, fences included (C5, C58): with a
 * prompt behind it, it is a card again (C59). Keys without a value stand in it as comments. What only code can give (functions,
 * tools, hooks) cannot be written and is left out.
 */
export function renderTemplate(definition: AgentDefinition, defaults: TemplateDefaults = {}): string {
  const fields = templateFields(definition, defaults)
  const lines = [...KEY_NOTES].flatMap(([key, { note, example }]) => {
    const value = fields[key]
    if (value === undefined) return [`# ${key}: ${example ?? '…'} # ${note}`]
    return [
      ...renderField(key, value, note),
      ...(key === 'limits' ? commented(openLimits(definition, defaults)) : []),
    ]
  })
  return ['---', ...lines, '---', ''].join('\n')
}

function renderField(key: string, value: Json, note: string): readonly string[] {
  const lines = dump({ [key]: value }, { noRefs: true, lineWidth: -1 })
    .trimEnd()
    .split('\n')
  const [only] = lines
  return lines.length === 1 && only !== undefined ? [`${only} # ${note}`] : [`# ${note}`, ...lines]
}

function commented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  # ${line}`)
}
