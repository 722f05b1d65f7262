import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { findVariables } from '@troupe/env'
import type { Schedule } from '@troupe/schedules'
import type { AgentDefinition, Failure } from '@troupe/schema'
import { failure } from '@troupe/schema'
import type { HostOptions } from '../config/host-options.ts'
import { planError, planWarning, suggestionText, type PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { Team } from '../team/collect-team.ts'

/** The schedules of a team, and the problems of its schedules and webhooks. */
export interface TeamTriggers {
  /** Schedules without errors. */
  readonly schedules: readonly Schedule[]
  readonly ofConfig: readonly PlanProblem[]
  readonly ofCards: readonly PlanProblem[]
}

/** Place of a trigger in its file, to report its problems. */
interface TriggerSource {
  /** Start of messages, such as `schedules.0.`. */
  readonly prefix: string
  readonly path: readonly (string | number)[]
  report(problem: Failure, path: readonly (string | number)[]): void
}

interface TriggerContext {
  readonly config: LoadedConfig
  readonly cards: HostOptions['cards']
  readonly cwd: string
}

const NONE: TeamTriggers = { schedules: [], ofConfig: [], ofCards: [] }

/** Finds the schedules of cards and configuration, and checks them and the webhooks. */
export async function findTriggers(team: Team, context: TriggerContext): Promise<TeamTriggers> {
  const { config } = context
  const { schedules: written = [], hooks = [] } = config.config
  const scheduled = [...team.members.values()].filter(({ definition }) => definition.schedule !== undefined)
  if (written.length === 0 && hooks.length === 0 && scheduled.length === 0) return NONE
  // loaded on demand, because few teams have schedules
  const { findScheduleProblem, toSchedule } = await import('@troupe/schedules')
  const ofConfig: PlanProblem[] = []
  const ofCards: PlanProblem[] = []
  const schedules = new Map<string, Schedule>()
  const agents = findAgents(team, context)

  /** Adds a schedule unless it has an error. */
  function add(
    schedule: Schedule,
    definition: AgentDefinition,
    { prefix, path, report }: TriggerSource,
  ): void {
    const found = findScheduleProblem(schedule)
    const { name } = schedule
    if (found !== undefined) {
      const { code, message, remediation } = found.problem
      report(failure(code, `${prefix}${message}`, remediation), [...path, found.key])
    } else if (schedules.has(name))
      report(failure('schedule_invalid', `${prefix}name: two schedules are named "${name}".`, RENAME), path)
    else if (schedule.input === '' && definition.input.message === undefined)
      report(failure('schedule_invalid', `${prefix}input: is missing.`, ADD_INPUT), path)
    else schedules.set(name, schedule)
  }

  const reportConfig: TriggerSource['report'] = ({ code, message, remediation: fix }, path) =>
    void ofConfig.push(planError(code, message, { ...locate(config, path), fix }))
  for (const [index, { agent, ...schedule }] of written.entries()) {
    const source = { prefix: `schedules.${index}.`, path: ['schedules', index], report: reportConfig }
    const definition = agents.find(agent, source)
    if (definition !== undefined) add(toSchedule(schedule, agent), definition, source)
  }
  for (const { card, definition } of scheduled) {
    const { name, schedule } = definition
    if (schedule === undefined || definition.hidden) continue
    add(toSchedule(schedule, name), definition, {
      prefix: 'schedule.',
      path: ['schedule'],
      report: ({ code, message, remediation: fix }, path) =>
        void ofCards.push(
          planError(code, message, { file: card.path, ...card.positionOf?.(path), agent: name, fix }),
        ),
    })
  }
  const names = new Set<string>()
  for (const [index, { name, agent, secret }] of hooks.entries()) {
    const path = ['hooks', index]
    agents.find(agent, { prefix: `hooks.${index}.`, path, report: reportConfig })
    if (names.has(name))
      reportConfig(
        failure('config_invalid', `hooks.${index}.name: two hooks are named "${name}".`, RENAME),
        path,
      )
    names.add(name)
    if (findVariables(secret).length === 0)
      ofConfig.push(
        planWarning('config_invalid', `hooks.${index}.secret: the secret is written in the file.`, {
          ...locate(config, [...path, 'secret']),
          fix: 'Replace it by a variable, such as "${HOOK_SECRET}", and define that in troupe.env.',
        }),
      )
  }
  return { schedules: Object.freeze([...schedules.values()]), ofConfig, ofCards }
}

const RENAME = 'Give one of them another `name`.'
const ADD_INPUT = 'Add the message of the runs as `input`, or `input.message` to the card.'

/** Finds the agents that triggers of the configuration name. */
function findAgents(
  { members, broken }: Team,
  { cards, cwd }: TriggerContext,
): { find(agent: string, source: TriggerSource): AgentDefinition | undefined } {
  // One card of a folder is run without the agents that the configuration names.
  const isWhole = cards.every((card) => typeof card === 'string' && isFolder(resolve(cwd, card)))
  // The errors of such a card are the reason why its agent is missing, and are reported.
  const unread = new Set(broken.map(({ stem }) => stem))
  return {
    find(agent, { prefix, path, report }) {
      const definition = members.get(agent)?.definition
      if (definition === undefined && isWhole && !unread.has(agent)) {
        const hint = suggestionText(agent, members.keys())
        report(failure('agent_unknown', `${prefix}agent: there is no agent "${agent}"${hint}`), [
          ...path,
          'agent',
        ])
      }
      if (definition?.hidden !== true) return definition
      report(
        failure('schedule_invalid', `${prefix}agent: ${agent} is hidden, so it is never served.`, SHOW),
        [...path, 'agent'],
      )
      return undefined
    },
  }
}

const SHOW = 'Remove `hidden` from its card, or name another agent.'

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function locate(
  { file, positionOf }: LoadedConfig,
  path: readonly (string | number)[],
): Pick<PlanProblem, 'file' | 'line' | 'column'> {
  return { ...(file === undefined ? {} : { file }), ...positionOf?.(path) }
}
