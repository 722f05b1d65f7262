import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  createRewriter,
  createToolPermissions,
  dottedPath,
  type FieldContext,
  type FieldRow,
  type FieldPath,
  type ProblemDraft,
  type ProjectSettings,
  type RawCard,
  type Translation,
} from '@troupe/cards/formats'

/**
 * The effect of the keys of a project file, by dotted path. Those with the status `ignored` are reported for
 * every agent, with their problem; all others are read elsewhere.
 */
export type SettingRules = Readonly<Record<string, Omit<FieldRow, 'key'>>>

/** Creates the rule for a key without which agents do something else. It causes a warning. */
export function lostSetting(reason: string): SettingRules[string] {
  return { status: 'ignored', problem: 'warning', reason }
}

/** Creates the same rule for several keys. */
export function sameRule(keys: readonly string[], rule: SettingRules[string]): SettingRules {
  return Object.fromEntries(keys.map((key) => [key, rule]))
}

/** Returns the rows of the documentation for the keys of a project file. */
export function settingRows(file: string, rules: SettingRules): readonly FieldRow[] {
  return Object.entries(rules).map(([key, { status, problem, to, reason }]) => ({
    key: `${file}: ${key}`,
    status,
    ...(problem === undefined ? {} : { problem }),
    ...(to === undefined ? {} : { to }),
    ...(reason === undefined ? {} : { reason }),
  }))
}

/**
 * Reports the keys of a project file that have no effect. `isSilent` omits the warnings, for files that belong
 * to the user instead of the project.
 */
export function reportSettings(
  settings: ProjectSettings,
  rules: SettingRules,
  { field: { rewriter }, isSilent = false }: { readonly field: FieldContext; readonly isSilent?: boolean },
): void {
  const { fields } = settings
  const known = new Set(Object.keys(rules).map((key) => key.split('.', 1)[0]))
  for (const key of Object.keys(fields).filter((each) => !known.has(each)))
    rewriter.note({
      key: reportKey({ at: [key], settings }),
      status: 'ignored',
      reason: 'Troupe does not read this setting',
    })
  for (const [key, { status, problem, reason = '' }] of Object.entries(rules)) {
    const at = key.split('.')
    if (status !== 'ignored' || key === '$schema' || !isSet(valueAt(fields, at))) continue
    rewriter.note({ key: reportKey({ at, settings }), status, reason })
    if (problem === 'error') reportSetting({ severity: problem, at, settings, reason }, rewriter)
    if (problem === 'warning' && !isSilent)
      reportSetting({ severity: problem, at, settings, reason }, rewriter)
  }
}

/**
 * Reports the keys of a file that holds several agents, and whatever `addNotes` adds. The first agent carries
 * the report, so that nothing is reported for each agent.
 */
export function withFileReport(
  agents: readonly Translation[],
  {
    card,
    rules,
    addNotes,
  }: {
    readonly card: RawCard
    readonly rules: SettingRules
    readonly addNotes?: (rewriter: FieldContext['rewriter']) => void
  },
): readonly Translation[] {
  const [first, ...others] = agents
  if (first === undefined) return []
  const rewriter = createRewriter({ fields: {}, report: [], sameValue: () => true })
  const settings = settingsOfFile(card, Object.keys(card.fields))
  reportSettings(settings, rules, { field: { rewriter, card, grant: createToolPermissions(), from: [] } })
  addNotes?.(rewriter)
  const { report, problems } = rewriter.finish()
  const ownReport = report.map((entry) => ({ ...entry, key: entry.key.replace(`${FILE_LABEL}: `, '') }))
  return [
    { ...first, report: [...ownReport, ...first.report], problems: [...problems, ...first.problems] },
    ...others,
  ]
}

/** Adds the warning or error for a key of a project file. */
export function reportSetting(
  {
    severity,
    at,
    settings,
    reason,
  }: {
    readonly severity: 'warning' | 'error'
    readonly at: FieldPath
    readonly settings: ProjectSettings
    readonly reason: string
  },
  rewriter: FieldContext['rewriter'],
): void {
  const key = `\`${dottedPath(at)}\``
  rewriter.addProblem({
    ...(severity === 'warning'
      ? { severity, code: 'key_without_effect', message: `${key} has no effect: ${reason}.` }
      : { code: 'card_unsupported', message: `${key}: ${reason}.` }),
    ...problemPlace({ at, settings }),
  })
}

/** Returns false for values that mean the same as a missing key. */
function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function valueAt(fields: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) ? getOwn(value, step) : undefined),
    fields,
  )
}

/** Origin of a rule: the card (`settings` is `undefined`), or settings outside of it. */
export interface RuleOrigin {
  readonly at: FieldPath
  readonly settings?: ProjectSettings | undefined
}

/** Label of the settings in the file of the agents. */
const FILE_LABEL = '(file)'

/** Returns the settings of a file for the agents in it. */
export function settingsOfFile(
  { path, fields, positionOf }: RawCard,
  keys: readonly string[],
): ProjectSettings {
  const entries = Object.entries(fields).filter(([key]) => keys.includes(key))
  return {
    label: FILE_LABEL,
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
