import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Host } from '@troupe/host'
import {
  troupeError,
  type OutputContract,
  type RunOptions,
  errorMessage,
  isJsonObject,
  type JsonObject,
} from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { schemaProblem } from '@troupe/tools'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { EXIT, exitCodeOfRun } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { parseBudgetOptions, parseCountOption, parseDurationOption } from '../input/option-values.ts'
import { readAttachments, exampleMessage, readMessage, toInput } from '../input/read-message.ts'
import { recordFile, readRecording } from '../team/record-file.ts'
import { printRefusal } from '../reporter/end.ts'
import { programRecord, writeRecord } from '../reporter/records.ts'
import { printResult, printNextCommand } from '../watch/result.ts'
import { openRunStore } from '../run-store/open-store.ts'
import { openDispatcher, type WorkerStoreOptions } from '../run-store/open-workers.ts'
import { runWithPreflight, findStartRefusal } from '../team/preflight.ts'
import { lacksSettings, printPlanProblems } from '../reporter/plan-problems.ts'
import { runPage } from '../watch/run-page.ts'
import { watchRun } from '../watch/watch-run.ts'

export interface RunCommandOptions extends TeamOptions, WorkerStoreOptions {
  readonly image?: readonly string[]
  readonly file?: readonly string[]
  readonly timeout?: string
  readonly maxCost?: string
  readonly maxTokens?: string
  /** File with the JSON Schema of the answer. */
  readonly schema?: string
  readonly json?: boolean
  readonly events?: boolean
  readonly yes?: boolean
  readonly wait?: boolean
  /** True if a run that completed with problems exits with 3. */
  readonly strict?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
  readonly resume?: string
  /** Priority in the queue of the workers. */
  readonly priority?: string
  /** Id of the conversation that the message is added to. */
  readonly session?: string
  readonly acceptChanges?: boolean
  /** File that the run is recorded to. */
  readonly record?: string
  /** File with the recording that is replayed instead of a live run. */
  readonly replay?: string
}

/** Runs `troupe run <card> [message…]`: one run of the entry agent. Resolves with the exit code. */
export async function runCommand(
  { card, words }: { readonly card: string; readonly words: readonly string[] },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  if (options.wait === true && options.store === false)
    throw troupeError('usage_invalid', '--wait works only with a saved run.', { fix: 'Remove --no-store.' })
  if (options.session !== undefined && options.store === false)
    throw troupeError('usage_invalid', '--session works only with saved runs.', {
      fix: 'Remove --no-store.',
    })
  if (options.priority !== undefined && options.executor !== 'dbos')
    throw troupeError('usage_invalid', '--priority works only on workers.', { fix: 'Add --executor dbos.' })
  const priority =
    options.priority === undefined ? undefined : parseCountOption(options.priority, '--priority')
  const timeout =
    options.timeout === undefined ? undefined : parseDurationOption(options.timeout, '--timeout')
  const budget = parseBudgetOptions(options)
  const output = options.schema === undefined ? undefined : jsonOutput(options.schema, context)
  const attachments = await readAttachments(options, context.cwd)
  const message = await readMessage(words, context)
  const record = options.record === undefined ? undefined : recordFile(options.record, context.cwd)
  const runOptions = {
    budget,
    ...(options.wait === true ? { note: { wait: true } } : {}),
    ...(options.session === undefined ? {} : { sessionId: options.session }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(priority === undefined ? {} : { priority }),
    ...(output === undefined ? {} : { output }),
    ...(record === undefined ? {} : { record: record.write }),
    ...(attachments.length === 0 ? {} : { attachments }),
  }
  try {
    return await runTeam(card, { message, runOptions }, options, context)
  } finally {
    record?.end()
  }
}

/** The message of a run, if one was passed, and its options. */
interface RunCommandInput {
  readonly message: string | undefined
  readonly runOptions: RunOptions
}

/** Loads the team and runs it once, or after every change with `--watch`. */
async function runTeam(
  card: string,
  request: RunCommandInput,
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const located = { ...options, paths: [card] }
  const store = await openRunStore(located, context)
  const dispatcher = await openDispatcher(located, store, context)
  const host = await loadHost([card], options, context, { store, dispatcher, isTraced: true })
  const forget = context.atExit(() => host.kill())
  try {
    const once = (): Promise<number> => runOnce({ host, store }, request, options, context)
    if (options.watch !== true) return await once()
    const { repeatRuns } = await import('../watch/watch-files.ts')
    return await repeatRuns(host, { once, options }, context)
  } finally {
    await host.close()
    forget()
  }
}

async function runOnce(
  { host, store }: { readonly host: Host; readonly store: RunStore | undefined },
  { message, runOptions }: RunCommandInput,
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const plan = host.plan()
  const running = options.strict === true ? undefined : plan.entry
  const refusal = printPlanProblems(plan, { ...options, running }, context)
  if (refusal !== undefined) {
    if (options.json === true) printRefusal(refusal, context.terminal.stdout)
    return EXIT.usage
  }
  if (options.strict === true) {
    const problem = await findStartRefusal(host, {}, options, context)
    if (problem !== undefined) {
      if (options.json === true) printRefusal(problem, context.terminal.stdout)
      return EXIT.usage
    }
  }
  const text = message ?? exampleOf(host, options, context)
  const watched = await runWithPreflight(
    host,
    { running: host.plan().entry },
    () =>
      watchRun(
        (watching) => host.run(undefined, toInput(host, text), { ...watching, ...runOptions }),
        {
          ...options,
          streams: isText(host, runOptions.output),
          writeTarget: host.writeTarget,
          page: store === undefined ? undefined : runPage(host, context),
          mayNotStart: lacksSettings(plan, plan.entry),
        },
        context,
      ),
    options,
    context,
  )
  await printResult(watched, options, context)
  await printNextCommand(watched, { host, runStore: store }, options, context)
  return context.stop.exitCode ?? exitCodeOfRun(watched.report, options)
}

/** Returns true if the answer is text and not JSON. */
function isText(host: Host, output: OutputContract | undefined): boolean {
  return output === undefined && host.definition(host.plan().entry).output.format !== 'json'
}

function jsonOutput(schema: string, { cwd }: CommandContext): OutputContract {
  return { format: 'json', schema: readSchema(schema, cwd) }
}

/** Returns the message of a run without one: none if the card has its own, else its example, which is printed. */
function exampleOf(host: Host, options: RunCommandOptions, context: CommandContext): string {
  const example = exampleMessage(host.definition(host.plan().entry))
  return example === '' ? example : printExample(example, options, context)
}

/** Prints that the example message is used, so that the answer can be understood. */
function printExample(
  message: string,
  { quiet = false, logFormat }: RunCommandOptions,
  { terminal: { stderr }, clock }: CommandContext,
): string {
  if (quiet) return message
  const text = `No message was given, so the example of the card is used: ${plainText(message)}`
  if (logFormat === 'json')
    writeRecord(
      stderr,
      programRecord('print', { message: text }, () => clock.now()),
    )
  else stderr.write(`${text}\n`)
  return message
}

/**
 * Runs `troupe run <card> --replay FILE`: replays a recorded run with the current cards. Makes no model calls
 * and stores nothing.
 */
export async function replayCommand(
  { card, words, file }: { readonly card: string; readonly words: readonly string[]; readonly file: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const recording = readRecording(file, context.cwd)
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = printPlanProblems(host.plan(), options, context)
    if (refusal !== undefined) {
      if (options.json === true) printRefusal(refusal, context.terminal.stdout)
      return EXIT.usage
    }
    const input = words.length === 0 ? {} : { input: words.join(' ') }
    const watched = await watchRun(
      (watching) => host.replay(recording, { ...watching, ...input, file }),
      options,
      context,
    )
    await printResult(watched, options, context)
    return context.stop.exitCode ?? exitCodeOfRun(watched.report, options)
  } finally {
    await host.close()
    forget()
  }
}

const MAX_SCHEMA_BYTES = 1024 * 1024

/**
 * Reads the JSON Schema in the file of `--schema`. Throws `usage_invalid` if the file cannot be read and
 * `invalid_schema` if it is not a schema.
 */
function readSchema(path: string, cwd: string): JsonObject {
  const schema = parseSchema(readSchemaText(path, cwd), path)
  if (!isJsonObject(schema)) throw schemaInvalid(path, 'does not contain a JSON object')
  const problem = schemaProblem(schema)
  if (problem !== undefined) throw schemaInvalid(path, `cannot be used: ${problem}`)
  return schema
}

function readSchemaText(path: string, cwd: string): string {
  const file = resolve(cwd, path)
  try {
    const stats = statSync(file)
    // A pipe or a device could block forever.
    if (!stats.isFile()) throw schemaUnreadable(path, 'not a file')
    if (stats.size > MAX_SCHEMA_BYTES) throw schemaInvalid(path, 'is larger than 1 MiB')
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) throw schemaUnreadable(path, errorMessage(thrown))
    throw thrown
  }
}

function parseSchema(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''))
  } catch (thrown) {
    throw schemaInvalid(path, `is not valid JSON: ${errorMessage(thrown)}`)
  }
}

function schemaUnreadable(path: string, why: string): Error {
  return troupeError('usage_invalid', `--schema ${path}: the file cannot be read: ${why}.`, {
    fix: 'Pass a file with a JSON Schema. The path is relative to the working folder.',
  })
}

function schemaInvalid(path: string, what: string): Error {
  return troupeError('invalid_schema', `--schema: ${path} ${what}.`)
}
