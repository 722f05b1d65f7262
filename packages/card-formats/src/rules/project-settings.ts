import {
  dottedPath,
  type FieldPath,
  type ProblemDraft,
  type ProjectSettings,
  type RawCard,
} from '@troupe/cards/formats'

/** Origin of a rule: the card (`settings` is `undefined`), or settings outside of it. */
export interface RuleOrigin {
  readonly at: FieldPath
  readonly settings?: ProjectSettings | undefined
}

/** Returns the settings of a file for the agents in it. */
export function settingsOfFile(
  { path, fields, positionOf }: RawCard,
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

/** Returns the key of a rule for reports. */
export function reportKey({ at, settings }: RuleOrigin): string {
  return settings === undefined ? dottedPath(at) : `${settings.label}: ${dottedPath(at)}`
}

/** Returns the position to report for a problem with a rule. */
export function problemPlace({ at, settings }: RuleOrigin): Pick<ProblemDraft, 'at' | 'place'> {
  if (settings === undefined) return { at }
  return { place: { file: settings.file, ...(settings.positionOf(at) ?? { line: 1, column: 1 }) } }
}

/** Returns the `source` of a rule that was written outside the card. */
export function ruleSource({ at, settings }: RuleOrigin): { readonly source?: string } {
  if (settings === undefined) return {}
  const { line } = settings.positionOf(at) ?? { line: 1 }
  return { source: `${settings.name}:${line}` }
}
