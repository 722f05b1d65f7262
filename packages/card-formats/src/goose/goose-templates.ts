import { dirname } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldPath, type RawCard, type Rewriter } from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'
import { parameterDefaults } from './goose-parameters.ts'

/** Keys whose templates are filled when a run starts. */
const FILLED_AT_START: ReadonlySet<string> = new Set([
  'instructions',
  'prompt',
  'parameters',
  'sub_recipes',
  'retry',
])
/** Keys that change nothing if their templates stay as they are. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'description', 'activities', 'author', 'context'])
const VARIABLE = /\{\{\s*(?<name>[A-Za-z_]\w*)\s*\}\}/gu
const RECIPE_FOLDER = /\{\{\s*recipe_dir\s*\}\}/gu
const TEMPLATE = /\{\{|\{%|\{#/u

/** Returns true for a text that goose fills with the values of parameters. */
export function isTemplate(text: string): boolean {
  return TEMPLATE.test(text)
}

/** Replaces the variable for the folder of a recipe in a prompt. */
export function withRecipeFolder(text: string, { path }: RawCard): string {
  return text.replaceAll(RECIPE_FOLDER, () => dirname(path))
}

/**
 * Fills the templates of keys that are needed before a run starts, such as those of extensions, with the
 * defaults of the parameters. The rest is an error, because its values are known only when a run starts.
 */
export function fillEarlyTemplates(
  fields: JsonObject,
  rewriter: Pick<Rewriter, 'addProblem' | 'note'>,
): JsonObject {
  const defaults = parameterDefaults(fields['parameters'])
  const fill = (value: Json, at: FieldPath): Json => {
    if (isText(value)) return fillText(value, { at, defaults, rewriter })
    if (Array.isArray(value))
      return (value as readonly Json[]).map((member, index) => fill(member, [...at, index]))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, [...at, key])]))
  }
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      FILLED_AT_START.has(key) ? value : fill(value, [key]),
    ]),
  )
}

function fillText(
  text: string,
  {
    at,
    defaults,
    rewriter,
  }: {
    readonly at: FieldPath
    readonly defaults: ReadonlyMap<string, string>
    readonly rewriter: Pick<Rewriter, 'addProblem' | 'note'>
  },
): string {
  if (!isTemplate(text)) return text
  const filled = text.replaceAll(VARIABLE, (written, name: string) => defaults.get(name) ?? written)
  const isShown = SHOWN.has(String(at[0])) || at.at(-1) === 'description'
  if (filled !== text && !isShown)
    rewriter.note({
      key: dottedPath(at),
      status: 'translated',
      to: filled,
      reason: 'filled with the defaults of the parameters, also if a caller passes other values',
    })
  const rest = filled.replaceAll(RECIPE_FOLDER, '')
  const [, name] = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/u.exec(rest) ?? []
  if (isShown || (name === undefined && !rest.includes('{%'))) return filled
  rewriter.addProblem({
    code: 'card_unsupported',
    message:
      name === undefined
        ? `\`${dottedPath(at)}\` is a template with statements, which work only in \`instructions\` and \`prompt\`.`
        : `\`${dottedPath(at)}\` needs the value of \`${name}\`, which is known only when a run starts.`,
    at,
    fix:
      name === undefined
        ? 'Write the value itself.'
        : 'Write the value itself, or give the parameter a default.',
  })
  return filled
}
