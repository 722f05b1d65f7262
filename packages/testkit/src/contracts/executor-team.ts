import {
  defineAgent,
  type AgentDefinition,
  type AgentFields,
  type ApprovalDecision,
  type ApprovalRequest,
  type LanguageModel,
  type Message,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { scriptedModel, type Script, type ScriptedModel, type ScriptedStep } from '../model/scripted-model.ts'

/** Cards, models and variables of a deployment. The options of a host. */
export interface DeployedTeam {
  readonly cards: readonly AgentDefinition[]
  readonly models: Readonly<Record<string, LanguageModel>>
  readonly env: Readonly<Record<string, string>>
}

/** A host with its store and the executor under test. */
export interface Deployment {
  readonly store: RunStore
  run(agent: string, input: string, options?: RunOptions): Promise<RunReport>
  resume(runId: string, options?: Pick<RunOptions, 'signal' | 'onEvent' | 'wait'>): Promise<RunReport>
  approvals(runId: string): Promise<readonly ApprovalRequest[]>
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
  /** Resolves when no run is being executed. */
  waitUntilIdle(): Promise<void>
  close(): Promise<void>
}

/** The deployment of all tests, and the agents that the tests add before it is opened. */
export interface ExecutorTests {
  readonly deployment: Deployment
  /**
   * Adds an agent whose model answers from the script, and returns the model. The agents of all tests are one
   * team, so names are unique.
   */
  addAgent(name: string, script: Script, fields?: AgentFields): ScriptedModel
  setVariable(name: string, value: string): void
}

/** Collects the agents of tests. */
export function createTeam(): Pick<ExecutorTests, 'addAgent' | 'setVariable'> & {
  readonly team: DeployedTeam
} {
  const cards: AgentDefinition[] = []
  const models: Record<string, LanguageModel> = {}
  const env: Record<string, string> = {}
  return {
    team: { cards, models, env },
    addAgent(name, script, fields = {}) {
      const id = `test/${name}`
      const model = scriptedModel(script)
      models[id] = model
      // The first agent is the entry: a team with several candidates and no default has an error.
      const entry = cards.length === 0 ? { default: true } : {}
      cards.push(
        defineAgent({
          name,
          description: 'Works.',
          instruction: 'Work.',
          model: id,
          ...entry,
          ...fields,
        }),
      )
      return model
    },
    setVariable(name, value) {
      env[name] = value
    },
  }
}

/** Returns a script whose steps are chosen by the number of earlier answers in the prompt, for each run. */
export function answers(...steps: readonly ScriptedStep[]): Script {
  return (prompt) => steps[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'lost' }
}

/** Returns a script that calls the children at once, with the texts `n1`, `n2`, …, and then says `All done.` */
export function callingScript(...children: readonly string[]): Script {
  const calls = children.map((child, index) => ({
    tool: `agent__${child}`,
    args: { text: `n${index + 1}` },
  }))
  return answers({ calls }, { text: 'All done.' })
}

/** Returns the text of the last message of a user. */
export function inputOf(prompt: readonly Message[]): string {
  const content = prompt.findLast(({ role }) => role === 'user')?.content
  if (typeof content === 'string' || content === undefined) return content ?? ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns agents and outcomes of ended runs, sorted. */
export function endsOf(events: readonly RunEvent[]): readonly string[] {
  return events
    .flatMap((event) => (event.type === 'run-end' ? `${event.agent} ${event.outcome}` : []))
    .toSorted((a, b) => a.localeCompare(b))
}

/** Returns the events of one type. */
export function eventsOf<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): readonly Extract<RunEvent, { readonly type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { readonly type: T }> => event.type === type)
}
