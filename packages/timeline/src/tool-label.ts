import { agentToolName } from '@troupe/schema'

/**
 * Returns the display name of a call: `agent__NAME[i]` if the tool is an agent, so that parallel calls can be
 * distinguished, else its canonical name.
 */
export function toolLabel({
  toolName,
  childInstance,
}: {
  readonly toolName: string
  readonly childInstance?: string
}): string {
  return childInstance === undefined ? toolName : agentToolName(childInstance)
}
