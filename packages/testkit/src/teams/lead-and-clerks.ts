import { defineAgent } from '@troupe/schema'
import { scriptedModel, type Script } from '../scripted-model.ts'
import type { ScriptedTeam } from './scripted-team.ts'

/** A lead that gives its clerk every task at once, and says `There are 3.` in three pieces in the end; and the script of the clerk. */
export function leadAndClerks(
  clerkScript: Script,
  {
    tasks = ['apples', 'pears'],
    says = 'I ask.',
  }: {
    readonly tasks?: readonly string[]
    /** Before the calls; empty: nothing. */
    readonly says?: string
  } = {},
): ScriptedTeam {
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Counts.',
    instruction: 'Count.',
    model: 'test/clerk',
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    default: true,
    agents: [clerk],
  })
  const calls = tasks.map((text) => ({ tool: 'agent__Clerk', args: { text } }))
  return {
    cards: [lead, clerk],
    models: {
      clerk: scriptedModel(clerkScript),
      lead: scriptedModel((prompt) =>
        prompt.at(-1)?.role === 'tool'
          ? { text: ['There ', 'are ', '3.'] }
          : { ...(says === '' ? {} : { text: says }), calls },
      ),
    },
  }
}
