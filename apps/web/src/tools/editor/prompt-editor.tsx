import type { AgentTool, JsonObject } from '@troupe/schema'
import {
  parsePromptTemplate,
  templateProblems,
  type PromptTemplate,
  type TemplateProblem,
} from '@troupe/tools/prompt-template'
import { useRef, type ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'

/**
 * Edits the prompt template of a tool. Placeholders are highlighted, and unknown ones are reported while the
 * person types.
 */
export function PromptEditor({
  tool,
  onChange,
  problem,
}: {
  /** The tool of the current draft, which may be incomplete. */
  readonly tool: AgentTool
  readonly onChange: (prompt: string) => void
  /** The problem found when saving; `undefined` before that. */
  readonly problem: string | undefined
}): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null)
  const { name, description, prompt } = tool
  const parameters = tool.parameters as unknown as JsonObject
  const template = parsePromptTemplate(prompt)
  const problems = templateProblems(template, { tool: { name, description }, parameters })
  const insert = (placeholder: string): void => {
    const { selectionStart = prompt.length, selectionEnd = prompt.length } = area.current ?? {}
    onChange(`${prompt.slice(0, selectionStart)}{${placeholder}}${prompt.slice(selectionEnd)}`)
    area.current?.focus()
  }
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Prompt template"
        isRequired
        hint="The message for the agent when the tool is called. {name} is a parameter; {{ and }} are literal braces."
        problem={problem ?? problemsText(problems)}
      >
        {(props) => (
          <div className="relative rounded-md border border-strong-line bg-panel focus-within:border-accent has-aria-invalid:border-bad">
            <HighlightedPrompt text={prompt} template={template} problems={problems} />
            <textarea
              {...props}
              ref={area}
              value={prompt}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value)}
              className="relative block field-sizing-content min-h-32 w-full resize-none bg-transparent px-3 py-2 font-mono text-small break-words whitespace-pre-wrap text-transparent caret-ink selection:bg-accent/30 selection:text-transparent"
            />
          </div>
        )}
      </Field>
      <Placeholders names={namesOf(parameters)} onPick={insert} />
    </div>
  )
}

function Placeholders({
  names,
  onPick,
}: {
  readonly names: readonly string[]
  readonly onPick: (name: string) => void
}): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="text-tiny text-muted">Insert</span>
      {[...names, 'tool.name'].map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => onPick(name)}
          className="rounded-sm bg-accent-wash px-1.5 py-0.5 font-mono text-tiny text-accent hover:brightness-95"
        >
          {`{${name}}`}
        </button>
      ))}
    </div>
  )
}

function namesOf({ properties }: JsonObject): readonly string[] {
  return Object.keys(properties ?? {}).filter((name) => name !== '')
}

function problemsText(problems: readonly TemplateProblem[]): string | undefined {
  const [first] = problems
  if (first === undefined) return undefined
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
  return `${first.placeholder} is not a parameter${more}. Parameters: ${first.known.map((name) => `{${name}}`).join(', ')}.`
}

/** Shows the prompt with highlighted placeholders, exactly behind a transparent text area. */
function HighlightedPrompt({
  text,
  template,
  problems,
}: {
  readonly text: string
  readonly template: PromptTemplate
  readonly problems: readonly TemplateProblem[]
}): ReactElement {
  const bad = new Set(problems.map(({ start }) => start))
  return (
    <pre
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 overflow-hidden px-3 py-2 font-mono text-small break-words whitespace-pre-wrap"
    >
      {template.map(({ kind, start, end }) => (
        <span
          key={start}
          className={
            kind === 'text'
              ? undefined
              : bad.has(start)
                ? 'rounded-sm bg-bad-wash text-bad underline decoration-wavy underline-offset-4'
                : 'rounded-sm bg-accent-wash text-accent'
          }
        >
          {text.slice(start, end)}
        </span>
      ))}
    </pre>
  )
}
