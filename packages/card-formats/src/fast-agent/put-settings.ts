import { isJsonObject, type Json } from '@troupe/schema'
import type { FieldContext, FieldRow, ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { defaultModel, putFastAgentModel } from './models.ts'
import { projectOf } from './project.ts'
import { PROVIDER_ROWS, PROVIDER_SECTIONS } from './providers.ts'
import { SERVER_ROWS } from './put-servers.ts'
import { typeOf } from './card-types.ts'

const INTERFACE = 'it only affects the interface of fast-agent'
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
  ['cards', 'fast-agent uses it to install cards'],
  ['plugins', 'plugins of fast-agent are not loaded'],
  ['commands', 'Troupe has no commands'],
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
  { key: 'mcp.targets', status: 'ignored', reason: 'they are only offered for connecting by hand' },
  { key: 'mcp.client', status: 'ignored', reason: INTERFACE },
  { key: 'mcp.diagnostics', status: 'ignored', reason: INTERFACE },
  ...PROVIDER_ROWS,
  { key: 'llm_retries', status: 'translated', to: 'limits.maxRetries' },
  { key: 'compaction', status: 'translated', to: 'context', reason: 'without its prompt' },
  {
    key: 'shell_execution',
    status: 'translated',
    to: 'limits',
    reason: 'of agents that only have the shell',
  },
  { key: 'skills.directories', status: 'translated', to: 'skills' },
  { key: 'environments', status: 'ignored', reason: 'tools run on this computer' },
  {
    key: 'default_environment',
    status: 'ignored',
    reason: 'an error for agents with a shell, unless it is local',
  },
  ...[...WITHOUT_EFFECT].map(([key, reason]) => ({ key, status: 'ignored' as const, reason })),
  { key: 'session_…', status: 'ignored', reason: 'see `store`' },
].map((row) => ({ ...row, key: `fast-agent.yaml: ${row.key}` }) as FieldRow)

/** Applies the settings of the project to the agent, and reports all others. */
export function putSettings(field: FieldContext): void {
  const { rewriter, card } = field
  const { settings, file, second } = projectOf(card)
  if (file !== undefined && second !== undefined)
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `The folder has two configurations of fast-agent: ${file.name} and ${second.name}.`,
      place: { file: second.file, line: 1, column: 1 },
      fix: 'Remove one of them.',
    })
  const model = defaultModel(settings)
  if (model !== undefined && rewriter.get(['model']) === undefined && WITH_MODEL.has(typeOf(card))) {
    const outcome = putFastAgentModel(model, { ...field, from: ['model'] })
    const to = { status: 'translated', to: 'model' } as const
    rewriter.note({ ...to, ...outcome, key: `${file?.name ?? 'secrets'}: default_model` })
  }
  if (WITH_MODEL.has(typeOf(card))) putLimits(field)
  if (file !== undefined) reportSettings(file, field)
}

function putLimits({ rewriter, card }: FieldContext): void {
  const { settings, file } = projectOf(card)
  const label = file?.name ?? 'secrets'
  const { llm_retries: retries, compaction, shell_execution: shell } = settings
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
    if (compaction['prompt'] !== undefined)
      rewriter.note({
        key: `${label}: compaction.prompt`,
        status: 'ignored',
        reason: 'the summary has its own prompt',
      })
  }
  putShellLimits(mappingOf(shell), label, { rewriter, card })
}

/** Limits of the shell become limits of all tools, so they are only set for agents with no other tools. */
function putShellLimits(
  shell: { readonly [key: string]: Json },
  label: string,
  { rewriter, card }: Pick<FieldContext, 'rewriter' | 'card'>,
): void {
  const hasOthers = ['servers', 'agents', 'function_tools', 'mcp_connect'].some(
    (key) => card.fields[key] !== undefined,
  )
  const isShell = JSON.stringify(rewriter.get(['runtimeTools']) ?? []).includes('"shell"')
  for (const [key, value] of Object.entries(shell)) {
    const to = SHELL_LIMITS.get(key)
    if (to !== undefined && typeof value === 'number' && isShell && !hasOthers) {
      rewriter.put(['limits', to], key === 'timeout_seconds' ? value * 1000 : value, ['shell_execution', key])
      rewriter.note({ key: `${label}: shell_execution.${key}`, status: 'translated', to: `limits.${to}` })
    } else
      rewriter.note({
        key: `${label}: shell_execution.${key}`,
        status: 'ignored',
        reason: to === undefined ? INTERFACE : `see \`limits.${to}\`, which applies to all tools of an agent`,
      })
  }
}

const SHELL_LIMITS: ReadonlyMap<string, string> = new Map([
  ['timeout_seconds', 'toolTimeout'],
  ['output_byte_limit', 'maxToolResultBytes'],
])

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
      reason: reason ?? 'Troupe does not read this setting',
    })
  }
  for (const key of ['environments', 'default_environment'].filter((name) => fields[name] !== undefined))
    rewriter.note({ key: `${file.name}: ${key}`, status: 'ignored', reason: 'tools run on this computer' })
  for (const key of Object.keys(mappingOf(fields['mcp'])).filter((name) => name !== 'servers'))
    rewriter.note({
      key: `${file.name}: mcp.${key}`,
      status: 'ignored',
      reason: key === 'targets' ? 'they are only offered for connecting by hand' : INTERFACE,
    })
}
