import type { Agent, AgentStats, CallStats, TeamStats } from '@troupe/client'

/** A figure by which the boxes of a graph are coloured. */
export type HeatBy = 'none' | 'cost' | 'time' | 'failures'

/** The figures of a team by agent and by call. */
export interface TeamFigures {
  agent(name: string): AgentStats | undefined
  call(from: string, to: string): CallStats | undefined
  /** Returns the share of the highest value in the team, from 0 to 1; 0 without figures. */
  heat(name: string, by: HeatBy): number
}

/** Indexes the figures of a team. */
export function teamFigures({ agents = [], calls = [] }: Partial<TeamStats> = {}): TeamFigures {
  const byAgent = new Map(agents.map((stats) => [stats.agent, stats]))
  const byCall = new Map(calls.map((stats) => [JSON.stringify([stats.from, stats.to]), stats]))
  return {
    agent: (name) => byAgent.get(name),
    call: (from, to) => byCall.get(JSON.stringify([from, to])),
    heat(name, by) {
      const stats = byAgent.get(name)
      const highest = Math.max(0, ...agents.map((one) => heatValue(one, by)))
      return stats === undefined || highest === 0 ? 0 : heatValue(stats, by) / highest
    },
  }
}

function heatValue(stats: AgentStats, by: HeatBy): number {
  switch (by) {
    case 'cost':
      return stats.meanCost ?? 0
    case 'time':
      return stats.p50Ms
    case 'failures':
      return stats.failures / stats.runs
    default:
      return 0
  }
}

/** Formats the share of failed runs, such as `3 %`; empty without failures. */
export function failureShare({
  runs,
  calls = runs,
  failures,
}: {
  runs?: number
  calls?: number
  failures: number
}): string {
  if (failures === 0 || calls === undefined || calls === 0) return ''
  const percent = (100 * failures) / calls
  return `${percent < 1 ? '< 1' : Math.round(percent)} %`
}

/** Returns what the tools of an agent can do, as words: shell, writes, network. */
export function toolMarks({ tools, servers }: Pick<Agent, 'tools' | 'servers'>): readonly string[] {
  const usable = tools.filter(({ permission }) => permission !== 'deny')
  const can = (capability: 'egress' | 'destructive'): boolean =>
    usable.some(({ capabilities = [] }) => capabilities.includes(capability))
  return [
    usable.some(({ name }) => name.startsWith('shell.')) ? 'shell' : '',
    usable.some(({ name }) => name === 'filesystem.write') || can('destructive') ? 'writes' : '',
    can('egress') || usable.some(({ name }) => name.startsWith('web.')) ? 'network' : '',
    servers.length === 0 ? '' : 'MCP',
  ].filter((mark) => mark !== '')
}

/** Returns the number of tools of an agent, and of those that need an approval. */
export function toolsText({ tools, servers }: Pick<Agent, 'tools' | 'servers'>): string {
  const own = tools.filter(({ permission, source }) => permission !== 'deny' && source !== 'agent')
  const asking = own.filter(({ permission }) => permission === 'ask').length
  if (own.length === 0) return servers.length === 0 ? 'no tools' : 'tools of servers'
  const count = `${own.length} ${own.length === 1 ? 'tool' : 'tools'}`
  return asking === 0 ? count : `${count}, ${asking === 1 ? '1 asks' : `${asking} ask`}`
}
