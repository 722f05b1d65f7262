import type { AgentTool, JsonObject, ValidateArguments } from '@troupe/schema'
import {
  fillPromptTemplate,
  parsePromptTemplate,
  templateProblems,
  type FillMode,
  type PromptSubject,
} from '@troupe/tools/prompt-template'

/** What a call of an exported tool would tell the agent. */
export interface FilledPrompt {
  readonly prompt: string
  /** What is wrong with the arguments; empty: nothing. */
  readonly problems: readonly string[]
}

/** The prompt of a call, with what is wrong with its arguments. `preview` leaves the placeholders of what is missing (D46). */
export function filledPrompt(
  tool: AgentTool,
  args: JsonObject,
  { validate, mode }: { readonly validate: ValidateArguments; readonly mode: FillMode },
): FilledPrompt {
  const subject = subjectOf(tool)
  const valid = validate(subject.parameters, args)
  const template = parsePromptTemplate(tool.prompt)
  return {
    prompt: fillPromptTemplate(template, { subject, args: valid.ok ? valid.args : args, mode }),
    problems: valid.ok ? [] : valid.problems,
  }
}

/** The placeholders of a tool's prompt that name nothing. */
export function unknownPlaceholders(tool: AgentTool): readonly string[] {
  return templateProblems(parsePromptTemplate(tool.prompt), subjectOf(tool)).map(
    ({ placeholder }) => placeholder,
  )
}

function subjectOf({ name, description, parameters }: AgentTool): PromptSubject {
  return { tool: { name, description }, parameters: parameters as unknown as JsonObject }
}
