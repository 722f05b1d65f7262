import type { AgentDefinition, AgentRunner } from '@troupe/schema'

/** A team whose agents are evaluated or judge. A host of `@troupe/host` is one. */
export interface EvalTeam extends Pick<AgentRunner, 'run'> {
  /** Returns the names of all agents. */
  plan(): { readonly agents: readonly { readonly name: string }[] }
  /** Returns the definition of an agent, by default of the entry. Throws if there is none. */
  definition(agent: string | undefined): AgentDefinition
  /** Replaces secrets in every text of a value. */
  redact<T>(value: T): T
  close(): Promise<void>
}

/** Opens the team of a card or a folder, given by its absolute path. */
export type OpenTeam = (cards: string) => Promise<EvalTeam>

/** Teams by the path of their cards. Each is opened once. */
export interface OpenTeams {
  get(cards: string): Promise<EvalTeam>
  close(): Promise<void>
}

/** Creates an empty set of teams. */
export function createOpenTeams(open: OpenTeam): OpenTeams {
  const teams = new Map<string, Promise<EvalTeam>>()
  return {
    get(cards) {
      const team = teams.get(cards) ?? open(cards)
      teams.set(cards, team)
      return team
    },
    async close() {
      await Promise.all(
        [...teams.values()].map(async (opening) => {
          const team = await opening.catch(() => undefined)
          await team?.close()
        }),
      )
    },
  }
}
