import type { AgentTool, JsonObject } from '@troupe/schema'
import {
  parsePromptTemplate,
  templateProblems,
  type PromptTemplate,
  type TemplateProblem,
} from '@troupe/tools/prompt-template'
import { Save } from 'lucide-react'
import { useState, type ReactElement, useRef } from 'react'
import { saveTool, type AgentToolList } from '../../api/tools.ts'
import { useAction } from '../../api/use-request.ts'
import { goTo, hrefOf } from '../../route/route.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { Field, INPUT_CLASSES, TextInput } from '../../ui/field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Section } from '../../ui/section.tsx'
import { EMPTY_TOOL, type DraftTool } from '../draft/draft.ts'
import { fromDraft } from '../draft/from-draft.ts'
import { toDraft } from '../draft/to-draft.ts'
import { ParameterList } from './parameter-list.tsx'

/** Edits a tool of a card: its name, description, parameters and prompt. Saves it to the card. */
export function ToolEditor({
  toolList,
  tool: original,
  onSaved,
}: {
  readonly toolList: AgentToolList
  /** `undefined` for a new tool. */
  readonly tool: AgentTool | undefined
  readonly onSaved: () => void
}): ReactElement {
  const { agent, version, readOnly } = toolList
  const [draft, setDraft] = useState<DraftTool>(original === undefined ? EMPTY_TOOL : toDraft(original))
  const [wasTried, setTried] = useState(false)
  const others = toolList.tools.map(({ name }) => name).filter((name) => name !== original?.name)
  const { tool, problems } = fromDraft(draft, others)
  const problemAt = (key: string): string | undefined =>
    wasTried ? problems.find((problem) => problem.key === key)?.message : undefined
  const save = useAction(
    () => saveTool(agent, { name: original?.name, tool, version }),
    () => {
      onSaved()
      goTo({ page: 'tools', agent })
    },
  )
  const change = (part: Partial<DraftTool>): void => setDraft({ ...draft, ...part })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (problems.length === 0) save.run()
      }}
    >
      <PageHead
        title={original === undefined ? 'New tool' : original.name}
        trail={<a href={hrefOf({ page: 'tools', agent })}>{agent}</a>}
      >
        <a href={hrefOf({ page: 'tools', agent })} className={buttonClasses('quiet')}>
          Cancel
        </a>
        <Button tone="solid" type="submit" disabled={save.isBusy || readOnly !== undefined}>
          <Save aria-hidden="true" className="size-3.5" /> Save
        </Button>
      </PageHead>
      <div className="grid gap-x-10 gap-y-8 p-4 sm:p-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-6">
          {readOnly === undefined ? null : <Notice tone="warn">{readOnly}</Notice>}
          {save.failure === undefined ? null : <FailureNotice failure={save.failure} />}
          {wasTried && problems.length > 0 ? (
            <Notice tone="bad">
              {problems.length === 1 ? 'One problem prevents' : `${problems.length} problems prevent`} the
              tool from being saved.
            </Notice>
          ) : null}
          <div className="flex flex-col gap-4">
            <Field
              label="Name"
              isRequired
              problem={problemAt('name')}
              hint="The name that clients use, such as book_flight."
            >
              {(props) => (
                <TextInput
                  {...props}
                  className="max-w-80 font-mono"
                  spellCheck={false}
                  value={draft.name}
                  onChange={(event) => change({ name: event.target.value })}
                />
              )}
            </Field>
            <Field label="Description" isRequired problem={problemAt('description')}>
              {(props) => (
                <textarea
                  {...props}
                  rows={2}
                  value={draft.description}
                  onChange={(event) => change({ description: event.target.value })}
                  className={`${INPUT_CLASSES} field-sizing-content min-h-14 resize-none py-1.5`}
                />
              )}
            </Field>
          </div>
          <Section title="Parameters">
            <ParameterList
              members={draft.parameters}
              onChange={(parameters) => change({ parameters })}
              problemAt={problemAt}
              idPrefix="p"
              level={1}
            />
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-6 xl:sticky xl:top-6 xl:self-start">
          <PromptEditor tool={tool} onChange={(prompt) => change({ prompt })} problem={problemAt('prompt')} />
          <Section title="Input schema">
            <div className="rounded-md border border-line bg-panel p-2">
              <JsonView value={tool.parameters} open={3} />
            </div>
          </Section>
        </div>
      </div>
    </form>
  )
}

/**
 * Edits the prompt template of a tool. Placeholders are highlighted, and unknown ones are reported while the
 * person types.
 */
function PromptEditor({
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
