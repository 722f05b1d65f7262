import path from 'node:path'
import { createHost, type Host } from '@troupe/host'
import type { RunListener, RunReport } from '@troupe/schema'

/** An example team and its question. */
export interface ExampleRun {
  /** Below `examples/`. */
  readonly cards: string
  readonly question: string
  /** Below `examples/`: the folder of the recording. */
  readonly recording: string
  /** Ignores the configuration file of the folder. */
  readonly config?: false
}

const composition = (name: string, question: string): ExampleRun => ({
  cards: `compositions/${name}`,
  question,
  recording: `compositions/recorded/${name}.yaml`,
  config: false,
})

const hooked = (name: string, cards: string, question: string): ExampleRun => ({
  cards: `tool-hooks-declarative/${cards}`,
  question,
  recording: `tool-hooks-declarative/recorded/${name}.yaml`,
})

/** One run for each team. */
export const EXAMPLE_RUNS: readonly ExampleRun[] = [
  {
    cards: 'new-york-london',
    question: 'What time is it in New York and London?',
    recording: 'new-york-london/recorded/both-times.yaml',
  },
  {
    cards: 'project-managers',
    question: 'What is new?',
    recording: 'project-managers/recorded/updates.yaml',
  },
  composition('chain', 'The page'),
  composition('parallel', 'The moon rose. Then the moon rose.'),
  composition('router', 'What is the capital of France?'),
  composition('orchestrator', 'Grade story.md'),
  composition('evaluator', 'A letter for a bridge builder'),
  hooked('mixed-tools-and-hooks', 'mixed_tools_and_hooks', 'A garden book, please'),
  hooked('agents-as-tools-extended', 'agents_as_tools_extended', 'The news'),
  hooked('function-tools', 'function_tools/counter.md', 'How many words are these?'),
  hooked('loop-hooks', 'loop_hooks/clerk.md', 'Good morning'),
]

const EXAMPLES = path.join(import.meta.dirname, '../../../examples')

/** Returns the path of a recording. */
export function recordingPath({ recording }: ExampleRun): string {
  return path.join(EXAMPLES, recording)
}

/** Runs a team with its real model and returns the recording. Everything that needs approval is approved. */
export async function recordExample(
  run: ExampleRun,
  {
    env,
    onEvent,
  }: { readonly env: Readonly<Record<string, string | undefined>>; readonly onEvent?: RunListener },
): Promise<{ readonly report: RunReport; readonly cassette: string }> {
  return withTeam(run, env, async (host) => {
    let cassette = ''
    const report = await host.run(undefined, run.question, {
      // constant, so that a recording changes only if the run does
      runId: `run_${path.basename(run.recording, '.yaml')}`,
      approve: () => ({ decision: 'approved' }),
      record: (text) => {
        cassette = text
      },
      ...(onEvent === undefined ? {} : { onEvent }),
    })
    return { report, cassette }
  })
}

/** Replays a recording of a team with an empty environment. */
export function replayExample(run: ExampleRun, cassette: string, onEvent?: RunListener): Promise<RunReport> {
  const options = { file: run.recording, ...(onEvent === undefined ? {} : { onEvent }) }
  return withTeam(run, {}, (host) => host.replay(cassette, options))
}

async function withTeam<T>(
  { cards, config }: ExampleRun,
  env: Readonly<Record<string, string | undefined>>,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const team = path.join(EXAMPLES, cards)
  const host = await createHost({
    cards: [team],
    cwd: path.dirname(team),
    env,
    ...(config === undefined ? {} : { config }),
  })
  try {
    return await work(host)
  } finally {
    await host.close()
  }
}
