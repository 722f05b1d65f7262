import type { JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import type { Position, ProblemDraft } from '../problem.ts'
import type { DialectInput } from './dialect.ts'

/** Settings outside of an agent that hold for it: of the file that it stands in, or of a file of its project. */
export interface ProjectSettings {
  /** As it is called in reports. */
  readonly label: string
  /** Its path from the folder of the card. */
  readonly name: string
  readonly file: string
  readonly fields: JsonObject
  positionOf(path: FieldPath): Position | undefined
}

/** Where a rule was written: in the card (`settings` is missing) or in settings outside of it. */
export interface RuleOrigin {
  readonly at: FieldPath
  readonly settings?: ProjectSettings | undefined
}

/** Returns the settings of a file for the agents that stand in it. */
export function settingsOfFile(
  { path, fields, positionOf }: DialectInput,
  keys: readonly string[],
): ProjectSettings {
  const entries = Object.entries(fields).filter(([key]) => keys.includes(key))
  return {
    label: '(file)',
    name: path.replace(/^.*[/\\]/u, ''),
    file: path,
    fields: Object.fromEntries(entries),
    positionOf: (at) => positionOf?.(at),
  }
}

/** Returns the key of a rule in reports. */
export function reportKey({ at, settings }: RuleOrigin): string {
  return settings === undefined ? dotted(at) : `${settings.label}: ${dotted(at)}`
}

/** Returns where a problem with a rule is shown. */
export function problemPlace({ at, settings }: RuleOrigin): Pick<ProblemDraft, 'at' | 'place'> {
  if (settings === undefined) return { at }
  return { place: { file: settings.file, ...(settings.positionOf(at) ?? { line: 1, column: 1 }) } }
}

/** Returns the `source` of a rule that was written outside of the card. */
export function ruleSource({ at, settings }: RuleOrigin): { readonly source?: string } {
  if (settings === undefined) return {}
  const { line } = settings.positionOf(at) ?? { line: 1 }
  return { source: `${settings.name}:${line}` }
}
