import { setTimeout as sleep } from 'node:timers/promises'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool, type LanguageModel } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { z } from 'zod'
import { CLOCK, serveHost, type ServedTeam } from './served-team.ts'

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  execute: ({ what }) => {
    if (what === 'crate 7') throw new Error('The crate is locked.')
    return `Found on ${what}.`
  },
})

/** A call that a model makes. */
interface PlannedCall {
  readonly tool: string
  readonly args: { readonly [name: string]: string }
}

/** Returns a model that makes these calls, one list per turn, and then answers. */
function caller(turns: readonly (readonly PlannedCall[])[], { delayMs = 0 } = {}): LanguageModel {
  return scriptedModel(async (prompt) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length
    if (delayMs > 0) await sleep(delayMs)
    const calls = turns[turn]
    return calls === undefined ? { text: 'Nothing is missing.' } : { calls }
  })
}

const crates = (count: number, from: number): readonly PlannedCall[] =>
  Array.from({ length: count }, (_, index) => ({ tool: 'look_up', args: { what: `crate ${from + index}` } }))

/** The sizes of the runs of a big team. */
interface BigTeamOptions {
  /** Tool calls of `Marathon`, in turns of 100. */
  readonly calls?: number
  /** Children of `Lead`, each with a child of its own. */
  readonly children?: number
  /** Time that the model of a child takes, in ms. */
  readonly delayMs?: number
}

/** Serves `Marathon`, which makes many tool calls, and `Lead`, which has many children. */
export async function serveBigTeam({
  calls = 1200,
  children = 40,
  delayMs = 0,
}: BigTeamOptions = {}): Promise<Omit<ServedTeam, 'travel'>> {
  const limits = { maxTurns: 100, maxToolCallsPerTurn: 1000 }
  const agent = (name: string, model: string, agents: readonly string[] = []) =>
    defineAgent({ name, description: `Is ${name}.`, instruction: `You are ${name}.`, model, agents, limits })
  const store = createMemoryStore({ clock: CLOCK })
  const host = await createHost({
    cards: [
      agent('Lead', 'big/lead', ['Scout']),
      agent('Scout', 'big/scout', ['Digger']),
      agent('Digger', 'big/digger'),
      agent('Marathon', 'big/marathon'),
    ],
    config: false,
    cwd: import.meta.dirname,
    store,
    tools: { Marathon: [lookUp], Digger: [lookUp] },
    models: {
      'big/lead': caller([
        Array.from({ length: children }, (_, index) => ({
          tool: 'agent__Scout',
          args: { text: `Survey the part ${index + 1} of the archive.\nReport what is missing.` },
        })),
      ]),
      'big/scout': caller([[{ tool: 'agent__Digger', args: { text: 'Count the boxes.' } }]], { delayMs }),
      'big/digger': caller([crates(1, 1), crates(1, 7)], { delayMs }),
      'big/marathon': caller(
        Array.from({ length: Math.ceil(calls / 100) }, (_, turn) =>
          crates(Math.min(100, calls - 100 * turn), 1 + 100 * turn),
        ),
      ),
    },
  })
  return serveHost({ host, store })
}
