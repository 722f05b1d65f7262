import { AssertionError } from 'node:assert'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createOverlay, expandText } from '@troupe/env'
import { createHost, type Host, type HostOptions, type PlanProblem } from '@troupe/host'
import { openScript, parseScript } from '@troupe/models'
import { errorMessage, troupeError, type Clock, type TroupeError } from '@troupe/schema'
import { expectRun, type TestedRun } from '@troupe/testkit'
import { createValidator } from '@troupe/tools'
import { blockingProblems, reachable } from '../reporter/plan-problems.ts'
import { checkExpectation } from './check-expectation.ts'
import type { FileTest, TestFile, TestLocation } from './test-file.ts'

/** The result of one test. */
export interface TestResult extends TestLocation {
  readonly name: string
  /** Expectations that were not met, and errors. Empty if the test passed. */
  readonly failures: readonly TestFailure[]
  /** The run in a few lines, if the test failed. */
  readonly run?: string
  readonly durationMs: number
}

/** The reason why a test failed, with the location of the expectation. */
export interface TestFailure extends TestLocation {
  readonly message: string
}

/** Options of {@link runTestFile}. */
export interface TestFileOptions {
  /** Environment of the processes that the team starts. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that override every other source. */
  readonly envOverrides: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called before code of cards is imported. */
  beforeCode(): void
  /** Called with the loaded team. */
  onHost(host: Host): void
}

/** Id of the scripted model, which replaces the models of all agents. */
const MODEL = 'test/script'

/** The results of a test file, or the problems that prevent its tests from running. */
export interface TestFileOutcome {
  readonly tests: readonly TestResult[]
  readonly problems: readonly PlanProblem[]
}

/**
 * Runs the tests of a file one after the other. Rejects if an agent is unknown or the team would need the
 * network.
 */
export async function runTestFile(file: TestFile, options: TestFileOptions): Promise<TestFileOutcome> {
  const host = await openTestHost(file, options)
  try {
    options.onHost(host)
    const problems = teamProblems(host, file)
    if (problems.length > 0) return { tests: [], problems }
    await requireLocalServers(host, file, options)
    const results: TestResult[] = []
    for (const test of file.tests) results.push(await runTest(test, { file, host, options }))
    return { tests: results, problems: [] }
  } finally {
    await host.close()
  }
}

/** Loads the team of a test file with the scripted model, without keys and without the network. */
async function openTestHost(file: TestFile, options: TestFileOptions): Promise<Host> {
  const { env, envOverrides, beforeCode } = options
  const folder = dirname(file.path)
  return createHost({
    cards: [folder],
    cwd: folder,
    env,
    envOverrides,
    beforeCode: () => beforeCode(),
    remote: { safeFetch: (url) => Promise.reject(offline(`${url} was not fetched`)) },
    ...(file.agent === undefined ? {} : { entry: file.agent }),
    ...modelOf(file),
  })
}

function modelOf({ source, path }: TestFile): Pick<HostOptions, 'model' | 'models'> {
  if (source.kind === 'recording') return {}
  if (source.kind === 'script-file') return { model: `script/${source.path}` }
  const script = parseScript(JSON.stringify(source.script), path)
  return { model: MODEL, models: { [MODEL]: ({ agent, calls }) => openScript(script, agent, calls) } }
}

/** Returns the errors that prevent the agent from running. A recording may be of any agent of the folder. */
function teamProblems(host: Host, { source, agent }: TestFile): readonly PlanProblem[] {
  const plan = host.plan()
  return source.kind === 'recording' && agent === undefined ? [] : blockingProblems(plan, agent ?? plan.entry)
}

/** Rejects if an agent of the tests uses an MCP server that is not on this machine. */
async function requireLocalServers(
  host: Host,
  { source, agent }: TestFile,
  { envOverrides }: TestFileOptions,
): Promise<void> {
  if (source.kind === 'recording') return
  const plan = host.plan()
  const agents = reachable(plan, [agent ?? plan.entry ?? ''])
  const overlay = createOverlay([{ origin: 'override', values: envOverrides }])
  for (const server of await host.servers.list()) {
    if (server.kind === 'process' || server.disabled) continue
    if (!server.agents.some((name) => agents.has(name))) continue
    if (!isLoopback(expandText(server.target, overlay).value))
      throw offline(`The MCP server ${server.name} at ${server.target} was not connected`)
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

function isLoopback(url: string): boolean {
  return LOOPBACK.test(URL.parse(url)?.hostname ?? '')
}

function offline(what: string): TroupeError {
  return troupeError('url_refused', `${what}, because tests run without the network.`, {
    fix: 'Use a server on this machine, for example with a variable in its address and --env, or replay a recording.',
  })
}

interface TestContext {
  readonly file: TestFile
  readonly host: Host
  readonly options: TestFileOptions
}

async function runTest(test: FileTest, context: TestContext): Promise<TestResult> {
  const { clock } = context.options
  const startedAt = clock.monotonic()
  const { failures, run } = await findFailures(test, context)
  return {
    name: test.name,
    ...test.location,
    failures,
    ...(run === undefined ? {} : { run }),
    durationMs: clock.monotonic() - startedAt,
  }
}

async function findFailures(
  test: FileTest,
  context: TestContext,
): Promise<Pick<TestResult, 'failures' | 'run'>> {
  const tested = await startRun(test, context)
  const expected = expectRun(tested)
  const checks = { path: context.file.path, validate: createValidator() }
  const incomplete = failureOf(() => expected.toComplete(), test.location)
  // A run that did not complete has no answer to check.
  const found =
    incomplete === undefined
      ? test.expectations.flatMap(
          ({ expectation, location }) =>
            failureOf(() => checkExpectation(expectation, expected, checks), location) ?? [],
        )
      : [incomplete]
  const run = found.find((each) => each.run !== undefined)?.run
  return { failures: found.map(({ failure }) => failure), ...(run === undefined ? {} : { run }) }
}

/** Returns what a check throws. The first line of an assertion is the reason, the others describe the run. */
function failureOf(
  check: () => unknown,
  location: TestLocation,
): { readonly failure: TestFailure; readonly run?: string } | undefined {
  try {
    check()
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof AssertionError))
      return { failure: { message: errorMessage(thrown), ...location } }
    const [message = '', ...run] = thrown.message.split('\n')
    return { failure: { message, ...location }, run: run.join('\n') }
  }
}

async function startRun(test: FileTest, { file, host, options }: TestContext): Promise<TestedRun> {
  const events: TestedRun['events'][number][] = []
  const runOptions = {
    signal: options.signal,
    onEvent: (event: TestedRun['events'][number]) => void events.push(event),
  }
  const { source, agent } = file
  if (source.kind !== 'recording')
    return { report: await host.run(agent, test.input ?? '', runOptions), events }
  const { path } = source
  const input = test.input === undefined ? {} : { input: test.input }
  const report = await host.replay(readFileSync(path, 'utf8'), { ...runOptions, file: path, ...input })
  if (agent === undefined || agent === report.agent) return { report, events }
  throw troupeError(
    'test_file_invalid',
    `${path} is a recording of the agent ${report.agent}, not of ${agent}.`,
    { fix: 'Correct `agent`, or leave it out.' },
  )
}
