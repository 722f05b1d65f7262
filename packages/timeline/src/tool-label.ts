import { agentToolName } from '@troupe/schema'

/** What a call is named to people: `agent__NAME[i]` where the tool is an agent, so that parallel calls of it can be told apart (A70, A80); else its canonical name. */
export function toolLabel({
  toolName,
  childInstance,
}: {
  readonly toolName: string
  readonly childInstance?: string
}): string {
  return childInstance === undefined ? toolName : agentToolName(childInstance)
}
