import type { Deadline, PersonAnswer, Question } from '@troupe/schema'
import type { Run } from './run.ts'
import type { Stop } from './stop.ts'
import { waitForPerson } from './wait-for-person.ts'

/** A question of a tool to the person the run works for. Never rejects. */
export async function askPerson(
  run: Run,
  question: Question & { readonly toolName: string },
  clocks: { readonly deadline: Deadline | undefined; readonly stop: Stop },
): Promise<PersonAnswer> {
  const { ask } = run.root
  if (ask === undefined) return { answered: false, reason: 'there is nobody to ask' }
  const { runId, agent, instance } = run.request
  const asked = { ...question, runId, agent: agent.name, instance }
  const said = await waitForPerson(run, clocks, (signal) => ask(asked, signal))
  return 'answer' in said ? said.answer : { answered: false, reason: said.reason }
}
