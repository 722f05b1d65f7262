import { isJsonObject } from '@troupe/schema'
import type { FieldContext, FieldRow, ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { defaultModel, putFastAgentModel } from './models.ts'
import { projectOf, SETTINGS_WITHOUT_FILE, warnOfSetting } from './project.ts'
import { PROVIDER_ROWS, PROVIDER_SECTIONS } from './providers.ts'
import { NOT_READ, SERVER_ROWS } from './put-servers.ts'
import { putShellSettings, SHELL_ROWS } from './put-shell.ts'
import { typeOf } from './card-types.ts'

const INTERFACE = 'it only affects the interface of fast-agent'
const INSTALLS = 'fast-agent uses it to install files'
const OWN_PROMPT = 'the summary has its own prompt'
/** Keys of a configuration that are read where they apply. */
const READ: ReadonlySet<string> = new Set([
  ...PROVIDER_SECTIONS,
  'default_model',
  'model_references',
  'model_aliases',
  'mcp',
  'shell_execution',
  'compaction',
  'llm_retries',
  'skills',
  'environments',
  'default_environment',
])
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['logger', 'see `--events` and `--record`'],
  ['tui', INTERFACE],
  ['otel', 'see OpenTelemetry in the configuration of Troupe'],
  ['git_aware', INTERFACE],
  ['cards', INSTALLS],
  ['plugins', 'plugins of fast-agent are not loaded'],
  ['commands', 'people start them in the interface of fast-agent'],
  ['execution_engine', 'fast-agent has only one'],
  ['harness_app', INTERFACE],
])
const WITH_MODEL: ReadonlySet<string> = new Set([
  'agent',
  'smart',
  'router',
  'orchestrator',
  'iterative_planner',
])

/** Rows of the documentation for each key of a configuration. */
export const SETTING_ROWS: readonly FieldRow[] = [
  { key: 'default_model', status: 'translated', to: 'model' },
  { key: 'model_references', status: 'translated', to: 'model', reason: 'formerly `model_aliases`' },
  ...SERVER_ROWS,
  { key: 'mcp.targets', status: 'translated', to: 'mcpServers' },
  { key: 'mcp.client', status: 'ignored', reason: INTERFACE },
  { key: 'mcp.diagnostics', status: 'ignored', reason: INTERFACE },
  ...PROVIDER_ROWS,
  { key: 'llm_retries', status: 'translated', to: 'limits.maxRetries' },
  { key: 'compaction.auto', status: 'translated', to: 'context.strategy' },
  { key: 'compaction.threshold', status: 'translated', to: 'context.threshold' },
  { key: 'compaction.keep_turns', status: 'translated', to: 'context.keepTurns' },
  { key: 'compaction.prompt', status: 'ignored', problem: 'warning', reason: OWN_PROMPT },
  ...SHELL_ROWS,
  { key: 'skills.directories', status: 'translated', to: 'skills' },
  { key: 'skills.marketplace_url', status: 'ignored', reason: INSTALLS },
  { key: 'skills.marketplace_urls', status: 'ignored', reason: INSTALLS },
  { key: 'environments', status: 'ignored', reason: 'tools run on this computer' },
  {
    key: 'default_environment',
    status: 'ignored',
    problem: 'error',
    reason: 'for agents with a shell, unless it is `local`',
  },
  ...[...WITHOUT_EFFECT].map(([key, reason]) => ({ key, status: 'ignored' as const, reason })),
  { key: 'session_…', status: 'ignored', reason: 'see `store`' },
].map((row) => ({ ...row, key: `fast-agent.yaml: ${row.key}` }) as FieldRow)

/** Applies the settings of the project to the agent, and reports all others. */
export function putSettings(field: FieldContext): void {
  const { rewriter, card } = field
  const { settings, config, file, second, secrets } = projectOf(card)
  const refuseSecond = (what: string, first?: ProjectSettings, other?: ProjectSettings): void => {
    if (first === undefined || other === undefined) return
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `The folder has two fast-agent ${what}: ${first.name} and ${other.name}.`,
      place: { file: other.file, line: 1, column: 1 },
      fix: 'Remove one of them.',
    })
  }
  refuseSecond('configurations', file, second)
  refuseSecond('files with secrets', ...secrets)
  const model = defaultModel(settings)
  if (model !== undefined && rewriter.get(['model']) === undefined && WITH_MODEL.has(typeOf(card))) {
    const outcome = putFastAgentModel(model, { ...field, from: ['model'] })
    const to = { status: 'translated', to: 'model' } as const
    const source = config['default_model'] === undefined ? SETTINGS_WITHOUT_FILE : file?.name
    rewriter.note({ ...to, ...outcome, key: `${source}: default_model` })
  }
  if (WITH_MODEL.has(typeOf(card))) putLimits(field)
  putShellSettings(field)
  if (file !== undefined) reportSettings(file, field)
}

function putLimits({ rewriter, card }: FieldContext): void {
  const { settings, file } = projectOf(card)
  const label = file?.name ?? SETTINGS_WITHOUT_FILE
  const { llm_retries: retries, compaction } = settings
  if (typeof retries === 'number' && rewriter.get(['limits', 'maxRetries']) === undefined) {
    rewriter.put(['limits', 'maxRetries'], retries, ['llm_retries'])
    rewriter.note({ key: `${label}: llm_retries`, status: 'translated', to: 'limits.maxRetries' })
  }
  if (isJsonObject(compaction) && rewriter.get(['context']) === undefined) {
    const { auto, threshold, keep_turns: keepTurns } = compaction
    rewriter.put(
      ['context'],
      {
        strategy: auto === false ? 'fail' : 'summarise',
        ...(typeof threshold === 'number' && threshold > 0 && threshold <= 1 ? { threshold } : {}),
        ...(typeof keepTurns === 'number' && keepTurns > 0 ? { keepTurns } : {}),
      },
      ['compaction'],
    )
    rewriter.note({ key: `${label}: compaction`, status: 'translated', to: 'context' })
    if (compaction['prompt'] !== undefined && compaction['prompt'] !== null) {
      rewriter.note({ key: `${label}: compaction.prompt`, status: 'ignored', reason: OWN_PROMPT })
      warnOfSetting(['compaction', 'prompt'], `\`compaction.prompt\` has no effect: ${OWN_PROMPT}.`, {
        rewriter,
        card,
      })
    }
  }
}

function reportSettings(file: ProjectSettings, { rewriter }: FieldContext): void {
  const { fields } = file
  const refuse = (key: string, message: string, fix: string): void =>
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`${key}\` in ${file.name}: ${message}.`,
      place: { file: file.file, ...(file.positionOf(key.split('.')) ?? { line: 1, column: 1 }) },
      fix,
    })
  const { default_environment: environment } = fields
  const hasShell = JSON.stringify(rewriter.get(['runtimeTools']) ?? []).includes('"shell"')
  if (isText(environment) && environment !== 'local' && hasShell)
    refuse(
      'default_environment',
      'the shell of the agents would run on this computer instead',
      'Remove the key, or `shell` from the cards.',
    )
  for (const key of Object.keys(fields)) {
    if (READ.has(key)) continue
    const reason = key.startsWith('session') ? 'see `store`' : WITHOUT_EFFECT.get(key)
    rewriter.note({
      key: `${file.name}: ${key}`,
      status: 'ignored',
      reason: reason ?? NOT_READ,
    })
  }
  for (const key of ['environments', 'default_environment'].filter((name) => fields[name] !== undefined))
    rewriter.note({ key: `${file.name}: ${key}`, status: 'ignored', reason: 'tools run on this computer' })
  for (const key of Object.keys(mappingOf(fields['mcp'])).filter(
    (name) => !['servers', 'targets'].includes(name),
  ))
    rewriter.note({
      key: `${file.name}: mcp.${key}`,
      status: 'ignored',
      reason: INTERFACE,
    })
}
