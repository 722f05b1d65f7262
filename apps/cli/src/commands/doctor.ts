import type { Diagnosis, DiagnosedModel, DiagnosedServer } from '@troupe/host'
import { toFailure, type Failure } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { listFirst } from '@troupe/schema/text'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { HANGING_INDENT, wrapText } from '../terminal/wrap.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { countText, tableLines, wrapLastCells } from '../reporter/table.ts'
import {
  openRunStore,
  storeLocation,
  type StoreLocation,
  type StoreOptions,
} from '../run-store/open-store.ts'
import { shortPath } from '../reporter/plan-problems.ts'

export interface DoctorOptions extends TeamOptions, StoreOptions {
  readonly json?: boolean
}

/**
 * Runs `troupe doctor [paths…]`: checks everything that a team needs, without a model call. Returns 2 if
 * something is missing or broken.
 */
export async function doctorCommand(
  paths: readonly string[],
  options: DoctorOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context
  const { store, failure, storeName } = await openDiagnosedStore({ ...options, paths }, context)
  const host = await loadHost(paths.length === 0 ? ['.'] : paths, options, context, { store })
  const forget = context.atExit(() => host.kill())
  try {
    const found = relevantDiagnosis(await host.diagnose(), paths)
    const diagnosis = failure === undefined ? found : { ...found, store: failure }
    const rows = diagnosisRows(diagnosis, { ...context, storeName })
    const isGood = rows.every(({ status }) => status !== 'error')
    const text =
      options.json === true
        ? JSON.stringify({ ok: isGood, node: context.nodeVersion, ...diagnosis }, null, 2)
        : `${toTable(rows, context)}\n${summaryLine(rows)}`
    terminal.stdout.write(`${text}\n`)
    return isGood ? EXIT.completed : EXIT.usage
  } finally {
    await host.close()
    forget()
  }
}

/** Opens the store. The failure of a named store is a finding. */
async function openDiagnosedStore(
  options: StoreOptions,
  context: CommandContext,
): Promise<{
  readonly store?: RunStore | undefined
  readonly storeName?: string | undefined
  readonly failure?: Failure
}> {
  let storeName: string | undefined
  try {
    const location = await storeLocation(options, context)
    storeName = location && shownStore(location, context.cwd)
    return { store: await openRunStore(options, context), storeName }
  } catch (thrown) {
    return { failure: toFailure(thrown), storeName }
  }
}

/** Returns the path of a named store as other paths, and the full path of the default one, which is elsewhere. */
function shownStore({ name, isNamed }: StoreLocation, cwd: string): string {
  return isNamed ? shortPath(name, cwd) : name
}

/**
 * Removes the problem that there is no agent, unless a path was given: the working folder need not hold a
 * team.
 */
function relevantDiagnosis(diagnosis: Diagnosis, paths: readonly string[]): Diagnosis {
  if (paths.length > 0 || diagnosis.agents.length > 0) return diagnosis
  return { ...diagnosis, problems: diagnosis.problems.filter(({ code }) => code !== 'agent_unknown') }
}

function toTable(rows: readonly DiagnosisRow[], { terminal }: CommandContext): string {
  const { outStyle } = terminal
  const paint = { ok: outStyle.green, error: outStyle.red, warning: outStyle.yellow, none: outStyle.dim }
  const columns = ['', 'what', '', ''].map((title) => ({ title }))
  const cells = rows.map(({ status, what, name, detail }) => [
    paint[status](status === 'none' ? '-' : status),
    what,
    plainText(name),
    plainText(detail),
  ])
  const lines = tableLines(columns, wrapLastCells(cells, terminal.stdout)).slice(1)
  return wrapText(lines.join('\n'), terminal.stdout, HANGING_INDENT)
}

/** One finding of `troupe doctor`. Status `none`: missing, but not needed. */
interface DiagnosisRow {
  readonly status: 'ok' | 'warning' | 'error' | 'none'
  readonly what: string
  readonly name: string
  readonly detail: string
}

/** Returns a row for each key that is set or that a model of the team needs, and one row for all others. */
function keyRows(
  { keys, models }: Pick<Diagnosis, 'keys' | 'models'>,
  from: (origin: string | undefined) => string,
): readonly DiagnosisRow[] {
  const used = new Set(models.map(({ id }) => id.slice(0, Math.max(0, id.indexOf('/')))))
  const isShown = ({ provider, origin }: Diagnosis['keys'][number]): boolean =>
    origin !== undefined || used.has(provider)
  const others = keys.filter((key) => !isShown(key)).map(({ name }) => name)
  const shown = keys.filter(isShown).map(({ provider, name, origin }) => ({
    status: origin === undefined ? ('none' as const) : ('ok' as const),
    what: 'key',
    name,
    detail: `${from(origin)} (${provider})`,
  }))
  if (others.length === 0) return shown
  const name = shown.length === 0 ? String(others.length) : countText(others.length, 'other')
  const detail = `not set, and not needed by this team: ${listFirst(others)}`
  return [...shown, { status: 'none', what: 'keys', name, detail }]
}

/** Returns the last line: the numbers of errors and warnings. */
function summaryLine(rows: readonly DiagnosisRow[]): string {
  const counts = (['error', 'warning'] as const).flatMap((word) => {
    const count = rows.filter(({ status }) => status === word).length
    return count === 0 ? [] : `${count} ${word}${count === 1 ? '' : 's'}`
  })
  const ready = rows.some(({ status }) => status === 'error') ? 'Not ready' : 'Ready'
  return counts.length === 0 ? 'Ready: no problems found.' : `${ready}: ${counts.join(', ')}.`
}

/** Returns the rows of a diagnosis: system, keys, variables, models, servers, store, processes, cards. */
function diagnosisRows(
  diagnosis: Diagnosis,
  {
    cwd,
    nodeVersion,
    storeName = 'runs',
  }: Pick<CommandContext, 'cwd' | 'nodeVersion'> & { readonly storeName?: string | undefined },
): readonly DiagnosisRow[] {
  const from = (origin: string | undefined): string =>
    origin === undefined ? 'not set' : `from ${originText(origin, cwd)}`
  return [
    { status: 'ok', what: 'node', name: nodeVersion, detail: 'supported' },
    configRow(diagnosis, cwd),
    ...keyRows(diagnosis, from),
    ...diagnosis.variables.map(({ name, origin, neededFor, agents }) => ({
      status: origin === undefined ? ('error' as const) : ('ok' as const),
      what: 'variable',
      name,
      detail: `${from(origin)}; needed for ${neededFor} (${agents.join(', ')})`,
    })),
    ...diagnosis.models.map(modelRow),
    ...diagnosis.servers.map(serverRow),
    storeRow(diagnosis, storeName),
    processRow(diagnosis),
    ...diagnosis.problems.flatMap(({ severity, code, file, line, column, message }) =>
      code === 'env_missing'
        ? []
        : [
            {
              status: severity,
              what: 'card',
              name: [shortPath(file ?? '', cwd), line, column]
                .filter((part) => part !== undefined && part !== '.')
                .join(':'),
              detail: `${message} [${code}]`,
            },
          ],
    ),
  ]
}

function configRow({ configFile }: Diagnosis, cwd: string): DiagnosisRow {
  return configFile === undefined
    ? { status: 'none', what: 'config', name: 'troupe.json', detail: 'none found' }
    : { status: 'ok', what: 'config', name: shortPath(configFile, cwd), detail: 'in use' }
}

function modelRow({ id, agents, failure }: DiagnosedModel): DiagnosisRow {
  const usage = `used by ${agents.join(', ')}`
  return failure === undefined
    ? { status: 'ok', what: 'model', name: id, detail: usage }
    : { status: 'error', what: 'model', name: id, detail: `${usage}: ${failure.message} [${failure.code}]` }
}

function serverRow({ name, agents, tools, failure, warnings, durationMs }: DiagnosedServer): DiagnosisRow {
  const usage = `used by ${agents.join(', ')}`
  if (failure !== undefined)
    return { status: 'error', what: 'server', name, detail: `${usage}: ${failure.message} [${failure.code}]` }
  const notes = warnings.length === 0 ? '' : `; ${warnings.join('; ')}`
  const status = warnings.length === 0 ? 'ok' : 'warning'
  return { status, what: 'server', name, detail: `${tools ?? 0} tools in ${durationMs} ms, ${usage}${notes}` }
}

function storeRow({ store }: Diagnosis, name: string): DiagnosisRow {
  if (store === 'none') return { status: 'none', what: 'store', name: 'none', detail: 'runs are not saved' }
  if (store === 'usable') return { status: 'ok', what: 'store', name, detail: 'readable and writable' }
  return { status: 'error', what: 'store', name, detail: `${store.message} [${store.code}]` }
}

function processRow({ processes: { containment, reason } }: Diagnosis): DiagnosisRow {
  const row = { what: 'processes', name: containment } as const
  if (containment === 'namespace')
    return {
      ...row,
      status: 'ok',
      detail: 'when a command or MCP server ends, every process it started ends too',
    }
  return {
    ...row,
    status: 'warning',
    detail: `a process that a command or MCP server starts in its own session (setsid) can outlive it: ${reason ?? 'no namespace'}`,
  }
}

function originText(origin: string, cwd: string): string {
  if (origin === 'override') return '--env'
  return origin === 'process' ? 'the shell' : shortPath(origin, cwd)
}
